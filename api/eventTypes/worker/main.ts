import { parentPort } from 'node:worker_threads';

import { lowerThreadPriority } from '../../../shared/concurrency/workerThread.js';
import { messageOf } from '../../../shared/core/errors.js';
import { createBudget } from '../../../shared/jsonSchema/check/budget.js';
import { checkData, type CheckResult } from '../../../shared/jsonSchema/check/checkData.js';
import { createCheckedData } from '../../../shared/jsonSchema/check/checkedData.js';
import { compileSchema } from '../../../shared/jsonSchema/compiler/compileSchema.js';
import { decodeProgram } from '../../../shared/jsonSchema/program/encoding.js';
import type { SchemaProgram } from '../../../shared/jsonSchema/program/program.js';
import { createStoredPrograms, type SchemaVerdict, type WorkerJob, type WorkerResult } from './messages.js';

/** The entry point of a worker thread. It executes one job after the other, and has no connections and no keys. */
function serve(): void {
  // Compilations delay no request.
  lowerThreadPriority();
  const programs = createStoredPrograms<SchemaProgram>();
  parentPort?.on('message', (job: WorkerJob) => {
    parentPort?.postMessage(resultOf(job, programs));
  });
  parentPort?.postMessage('ready');
}

type Programs = ReturnType<typeof createStoredPrograms<SchemaProgram>>;

function resultOf(job: WorkerJob, programs: Programs): WorkerResult {
  try {
    switch (job.kind) {
      case 'compile':
        return { kind: 'compiled', compilation: compileSchema(Buffer.from(job.schema)) };
      case 'validate':
        return { kind: 'validated', verdict: validate(job, programs) };
      case 'check':
        return { kind: 'checked', results: checkSome(job, programs) };
    }
  } catch (error) {
    return { kind: 'failure', message: messageOf(error) };
  }
}

type Job<Kind> = Extract<WorkerJob, { readonly kind: Kind }>;

function validate({ key, schema }: Job<'validate'>, programs: Programs): SchemaVerdict {
  const compilation = compileSchema(Buffer.from(schema));
  if (compilation.outcome === 'rejected') {
    return compilation;
  }
  const { program } = compilation;
  programs.set(key, decodeProgram(program), program.bytes);
  return { outcome: 'accepted', bytes: program.bytes };
}

function checkSome(
  { key, program: sent, limits, stepsOfJob, data }: Job<'check'>,
  programs: Programs,
): readonly CheckResult[] {
  if (sent !== null) {
    programs.set(key, decodeProgram(sent), sent.bytes);
  }
  const program = programs.get(key);
  if (program === undefined) {
    throw new Error('the worker has no program for the job');
  }
  const results: CheckResult[] = [];
  let remaining = stepsOfJob;
  for (const text of data) {
    if (remaining <= 0) {
      break;
    }
    const budget = createBudget(limits.steps, limits.depth);
    const bytes = Buffer.from(text);
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    results.push(checkData(program, createCheckedData(program, bytes, parsed), budget));
    remaining -= limits.steps - budget.steps;
  }
  return results;
}

serve();
