import { z } from 'zod';

import { maximumBodyBytes } from '../domain/events/event.js';
import { readJsonObject } from '../domain/events/jsonText.js';
import { failedCall, maximumMessageLength, moduleName, type CallResult, type SandboxCall } from './calls.js';
import { createInstance, OutOfMemoryError, type Instance } from './instance.js';
import { lineOf } from './prelude.js';

/** An interpreter for calls of transformations. Each call starts in the same state, so no state passes between calls. */
export interface Interpreter {
  readonly run: (call: SandboxCall) => Promise<CallResult>;
}

export async function createInterpreter(): Promise<Interpreter> {
  let instance: Instance | null = await createInstance();
  return {
    run: async (call) => {
      instance ??= await createInstance();
      try {
        const result = runIn(instance, call);
        instance.reset();
        return result;
      } catch {
        // QuickJS fails so if its memory or the stack of the thread is exhausted in a function that expects neither. The
        // stack pointer of the instance is wrong then, so none of its functions can be called again.
        instance = null;
        return failedCall('memory', 'The code has exceeded its memory or its stack.');
      }
    },
  };
}

function runIn(instance: Instance, { code, event }: SandboxCall): CallResult {
  try {
    const module = evaluate(instance, code);
    if ('outcome' in module) {
      return module;
    }
    const text = event === null ? instance.ffi.QTS_GetUndefined() : toText(instance, event);
    const returned = callFunction(instance, instance.call, [module.pointer, text]);
    return 'thrown' in returned
      ? failureOf(instance, returned.thrown, 'threw')
      : readResult(textOf(instance, returned.value));
  } catch (error) {
    if (error instanceof OutOfMemoryError) {
      return outOfMemory();
    }
    throw error;
  }
}

/** @returns a pointer to the namespace of the module, or the failure of its evaluation */
function evaluate(instance: Instance, code: string): CallResult | { readonly pointer: number } {
  const { ffi, context } = instance;
  const source = instance.write(code);
  const moduleType = 1;
  const value = ffi.QTS_Eval(context, source.pointer, source.bytes, moduleName, 0, moduleType);
  const thrown = ffi.QTS_ResolveException(context, value);
  if (thrown !== 0) {
    return failureOf(instance, thrown, 'invalid');
  }
  return ffi.QTS_PromiseState(context, value) >= 0
    ? failedCall('invalid', 'The code has a top-level `await`.')
    : { pointer: value };
}

function toText(instance: Instance, text: string): number {
  const { pointer } = instance.write(text);
  const value = instance.ffi.QTS_NewString(instance.context, pointer);
  instance.module._free(pointer);
  return value;
}

function textOf({ ffi, context, module }: Instance, value: number): string {
  return module.UTF8ToString(ffi.QTS_GetString(context, value));
}

function callFunction(
  { ffi, context, module, memory }: Instance,
  code: number,
  values: readonly number[],
): { readonly value: number } | { readonly thrown: number } {
  const list = module._malloc(4 * values.length);
  if (list === 0) {
    throw new OutOfMemoryError();
  }
  new Uint32Array(memory.buffer, list, values.length).set(values);
  const value = ffi.QTS_Call(context, code, ffi.QTS_GetUndefined(), values.length, list);
  const thrown = ffi.QTS_ResolveException(context, value);
  return thrown === 0 ? { value } : { thrown };
}

const descriptionSchema = z.object({ name: z.string(), message: z.string(), stack: z.string() });

/** @param otherwise the failure unless a budget is exceeded */
function failureOf(instance: Instance, thrown: number, otherwise: 'invalid' | 'threw'): CallResult {
  if (instance.isExhausted()) {
    return outOfSteps();
  }
  // The getters of a thrown object can throw, and can exceed each budget.
  const described = callFunction(instance, instance.describe, [thrown]);
  const text = 'thrown' in described ? '' : textOf(instance, described.value);
  if (instance.isExhausted()) {
    return outOfSteps();
  }
  if (text === '') {
    return failedCall(otherwise, 'The code has thrown a value that cannot be shown.');
  }
  return describedFailure(descriptionSchema.parse(JSON.parse(text)), otherwise);
}

function describedFailure(
  { name, message, stack }: z.infer<typeof descriptionSchema>,
  otherwise: 'invalid' | 'threw',
): CallResult {
  if (name === 'InternalError' && message === 'out of memory') {
    return outOfMemory();
  }
  if (name === '' && message === 'null') {
    // QuickJS throws null if its memory has no room for an error.
    return failedCall('memory', 'The code has exceeded its memory of 8 MiB, or has thrown null.');
  }
  if (message.startsWith('could not load module')) {
    return failedCall(otherwise, 'The code imports a module. A transformation has no imports.');
  }
  const line = lineOf(stack);
  const label = [name, message].filter((part) => part !== '').join(': ');
  const place = line === null ? '' : ` (line ${String(line)})`;
  return failedCall(otherwise, `${label.slice(0, maximumMessageLength - place.length)}${place}`);
}

function outOfSteps(): CallResult {
  return failedCall('steps', 'The code has exceeded its steps.');
}

function outOfMemory(): CallResult {
  return failedCall('memory', 'The code has exceeded its memory of 8 MiB.');
}

/** The largest depth of `data`, as in `POST /v1/events`. */
const maximumDepth = 1000;
const maximumUrlLength = 2048;

/** Reads the result of the prelude. */
function readResult(text: string): CallResult {
  const [kind, content] = [text.slice(0, 1), text.slice(1)];
  switch (kind) {
    case 'a':
      return { outcome: 'accepted' };
    case 's':
      return { outcome: 'skipped' };
    case 'i':
      return failedCall('invalid', content);
    case 'r':
      return failedCall('result', content);
    case 'e':
      return readEvent(content);
    default:
      // The text of a result that did not fit into the memory is empty.
      return outOfMemory();
  }
}

function readEvent(content: string): CallResult {
  const lineBreak = content.indexOf('\n');
  const url = z.string().parse(JSON.parse(content.slice(0, lineBreak)));
  if (url.length > maximumUrlLength) {
    return failedCall('result', `The code returned a \`url\` of more than ${maximumUrlLength} characters.`);
  }
  const data = content.slice(lineBreak + 1);
  return data === '' ? { outcome: 'returned', url, data: null } : checkData(url, data);
}

function checkData(url: string, data: string): CallResult {
  const bytes = Buffer.from(data);
  if (bytes.length > maximumBodyBytes) {
    return failedCall('result', 'The code returned more than 256 KiB of `data`.');
  }
  const reading = readJsonObject(bytes, maximumDepth);
  return reading.valid
    ? { outcome: 'returned', url, data }
    : failedCall('result', `The code returned invalid \`data\`: ${reading.message}.`);
}
