declare module "engine-glue" {
  export interface EngineModule {
    _gradproof_answer(question: number): number;
    _malloc(bytes: number): number;
    _free(at: number): void;
    UTF8ToString(at: number): string;
    stringToUTF8(text: string, at: number, bytes: number): void;
    lengthBytesUTF8(text: string): number;
  }
  export interface EngineOptions {
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
    print(text: string): void;
    printErr(text: string): void;
  }
  export default function create(options: EngineOptions): Promise<EngineModule>;
}
declare module "*.proof" {
  const text: string;
  export default text;
}
declare module "*.css";
