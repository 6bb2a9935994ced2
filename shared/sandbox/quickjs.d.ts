/**
 * The part of WebAssembly and of QuickJS that the sandbox uses. The types of Node.js do not contain WebAssembly. The
 * package of QuickJS declares its ECMAScript modules as CommonJS modules. It declares pointers, which are numbers, as types of
 * a package that the project does not use.
 */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  const Memory: new (pages: { readonly initial: number; readonly maximum: number }) => Memory;
  interface Module {
    readonly __brand: 'Module';
  }
  const Module: new (bytes: Uint8Array) => Module;
  interface Instance {
    readonly exports: object;
  }
  const Instance: new (module: Module, imports: object) => Instance;
}

declare module '@jitl/quickjs-wasmfile-release-sync/emscripten-module' {
  export interface QuickJsModule {
    callbacks: { readonly shouldInterrupt: () => 0 | 1 };
    readonly _malloc: (bytes: number) => number;
    readonly _free: (pointer: number) => void;
    /** Reads a text until its first null character. A null pointer gives an empty text. */
    readonly UTF8ToString: (pointer: number) => string;
    readonly cwrap: (name: string, returns: string, parameters: readonly string[]) => unknown;
  }

  export interface QuickJsOptions {
    readonly wasmMemory: WebAssembly.Memory;
    readonly instantiateWasm: (
      imports: object,
      onSuccess: (instance: WebAssembly.Instance) => void,
    ) => object;
    readonly print: () => void;
    readonly printErr: () => void;
  }

  const load: (options: QuickJsOptions) => Promise<QuickJsModule>;
  export default load;
}

declare module '@jitl/quickjs-wasmfile-release-sync/ffi' {
  import type { QuickJsModule } from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';

  /** The exported functions of the build. All parameters and results other than texts are numbers, mostly pointers. */
  export class QuickJSFFI {
    constructor(module: QuickJsModule);
    readonly QTS_NewRuntime: () => number;
    readonly QTS_RuntimeSetMaxStackSize: (runtime: number, bytes: number) => void;
    readonly QTS_RuntimeEnableInterruptHandler: (runtime: number) => void;
    readonly QTS_NewContext: (runtime: number, intrinsics: number) => number;
    readonly QTS_GetUndefined: () => number;
    readonly QTS_NewString: (context: number, text: number) => number;
    readonly QTS_GetString: (context: number, value: number) => number;
    readonly QTS_GetPropNumber: (context: number, value: number, index: number) => number;
    /** @returns a number below 0 if the value is no promise */
    readonly QTS_PromiseState: (context: number, value: number) => number;
    readonly QTS_Call: (
      ...values: [context: number, code: number, self: number, count: number, values: number]
    ) => number;
    /** @returns the thrown value, or 0 if the value is no exception */
    readonly QTS_ResolveException: (context: number, value: number) => number;
    readonly QTS_Eval: (
      ...values: [
        context: number,
        code: number,
        bytes: number,
        fileName: string,
        detectsModule: number,
        flags: number,
      ]
    ) => number;
  }
}
