import { createBudget } from '../../../shared/jsonSchema/check/budget.js';
import { checkData, type CheckResult } from '../../../shared/jsonSchema/check/checkData.js';
import { createCheckedData } from '../../../shared/jsonSchema/check/checkedData.js';
import { compileSchema } from '../../../shared/jsonSchema/compiler/compileSchema.js';
import { decodeProgram } from '../../../shared/jsonSchema/program/encoding.js';
import type { SchemaProgram } from '../../../shared/jsonSchema/program/program.js';

/** Compiles the text of a schema, and passes the program on like a message between threads. */
export function compile(schema: string): SchemaProgram {
  const compilation = compileSchema(Buffer.from(schema));
  if (compilation.outcome === 'rejected') {
    throw new Error(`${compilation.place}: ${compilation.message}`);
  }
  return decodeProgram(structuredClone(compilation.program));
}

/** The place and the message of a rejection. */
export function rejection(schema: string): { readonly place: string; readonly message: string } {
  const compilation = compileSchema(Buffer.from(schema));
  if (compilation.outcome === 'compiled') {
    throw new Error('The schema was compiled.');
  }
  return { place: compilation.place, message: compilation.message };
}

/** Checks the text of `data`, and counts the steps. */
export function check(
  program: SchemaProgram,
  data: string,
  { steps = 2_000_000, depth = 1500 } = {},
): { readonly result: CheckResult; readonly steps: number } {
  const budget = createBudget(steps, depth);
  const result = checkData(
    program,
    createCheckedData(program, Buffer.from(data), JSON.parse(data) as unknown),
    budget,
  );
  return { result, steps: steps - budget.steps };
}
