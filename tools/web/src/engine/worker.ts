// The engine in its worker: a message with a question in, a message with the answer out.
import createEngine from "engine-glue";
import type { EngineModule } from "engine-glue";
import { decompress } from "fzstd";
import { bytesOf } from "./bytes";

interface Asked {
  packed?: string;
  module?: WebAssembly.Module;
  id?: number;
  question?: string;
}
const scope = self as unknown as {
  postMessage(message: { id?: number | undefined; answer?: string; failed?: string; module?: WebAssembly.Module }): void;
  onmessage: ((event: MessageEvent<Asked>) => void) | null;
};
let engine: Promise<EngineModule> | undefined;

function start(module: WebAssembly.Module): Promise<EngineModule> {
  return createEngine({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance), fail);
      return {};
    },
    print: () => {},
    printErr: () => {},
  });
}

function fail(reason: unknown) {
  scope.postMessage({ failed: String(reason) });
}

function ask(e: EngineModule, question: string): string {
  const bytes = e.lengthBytesUTF8(question) + 1;
  const at = e._malloc(bytes);
  e.stringToUTF8(question, at, bytes);
  const answer = e.UTF8ToString(e._gradproof_answer(at));
  e._free(at);
  return answer;
}

function begin(module: WebAssembly.Module) {
  engine = start(module);
  engine.catch(fail);
}

async function unpack(packed: string) {
  const module = await WebAssembly.compile(decompress(bytesOf(packed)) as BufferSource);
  scope.postMessage({ module });
  begin(module);
}

scope.onmessage = async ({ data }) => {
  if (data.packed) return unpack(data.packed).catch(fail);
  if (data.module) return begin(data.module);
  try {
    if (engine) scope.postMessage({ id: data.id, answer: ask(await engine, data.question ?? "") });
  } catch (reason) {
    fail(reason); // what the engine does not answer has ended it
  }
};
