"""Predicts the lungs of X-rays with a trained U-Net: for each a mask of 0 and 255."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch
import unet
from PIL import Image

_BATCH = 16


def main() -> None:
    """Predict the masks of all X-rays of a list."""
    asked = _arguments()
    way = unet.way_of(asked.variant, asked.device, asked.cores)
    out = Path(asked.out)
    out.mkdir(parents=True, exist_ok=True)
    model = trained(asked.model).to(way.device).eval()
    try:
        for names in unet.chunks(unet.names_in(asked.images), _BATCH):
            images = torch.stack([unet.read_image(name) for name in names]).to(way.device)
            with torch.inference_mode(), way.precision():
                masks = ((model(images) > 0).to(torch.uint8) * 255).cpu().numpy()
            for name, mask in zip(names, masks, strict=True):
                Image.fromarray(mask[0]).save(out / f"{Path(name).stem.removesuffix('_norm')}_pred.png")
    except (OSError, ValueError) as error:
        sys.exit(f"predict: {error}")


def trained(path: str) -> unet.UNet:
    """Return the model that training has written."""
    try:
        found = unet.load(path)
        model = unet.UNet(found["width"])
        model.load_state_dict(found["state"])
    except unet.DAMAGE as error:
        sys.exit(f"{path} holds no trained model ({type(error).__name__}). Train it again.")
    return model


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="the weights that training has written")
    parser.add_argument("--images", required=True, help="a list of prepared X-rays")
    unet.add_ways(parser)
    parser.add_argument("--out", required=True, help="a folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
