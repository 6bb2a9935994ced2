import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import { closeAtEndOfFile } from './fileResources.js';

/** The compiled program with earlier versions of read models. */
export interface OlderProgram {
  /** The file to run, with the arguments of `postrider`. */
  readonly path: string;
}

/** A change of the compiled program back to an earlier version. */
export interface EarlierCode {
  readonly file: string;
  readonly now: string;
  readonly before: string;
}

/** Version 1 of the model stats: a document counts the records of all partitions. */
export const statsVersion1: readonly EarlierCode[] = [
  ['return `${statsIdPrefix(series, part, at)}/${partition}`;', 'return statsIdPrefix(series, part, at);'],
  ['$gte: `${prefixAt(start)}/`', '$gte: prefixAt(start)'],
  ["_id.split('/').slice(-2)", "_id.split('/').slice(-1)"],
].map(([now = '', before = '']) => ({ file: 'dist/shared/store/models/statsDocuments.js', now, before }));

/** Records of webhooks are read without the field `format`. */
export const webhooksWithoutFormat: readonly EarlierCode[] = [
  { file: 'dist/shared/log/records/webhooks.js', now: 'format: z.enum(webhookFormats),', before: '' },
];

const definitions = 'dist/shared/store/models/modelDefinitions.js';

/**
 * Creates a copy of the program in which these models have the previous version. A model that is given twice has the
 * version before the previous one.
 * @param earlier the changes that make documents of that version differ from present ones
 */
export async function olderProgram(
  models: readonly ModelName[],
  earlier: readonly EarlierCode[] = [],
): Promise<OlderProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-older-'));
  await cp('dist', join(folder, 'dist'), { recursive: true });
  for (const shared of ['node_modules', 'package.json', 'dashboard']) {
    await symlink(resolve(shared), join(folder, shared));
  }
  const file = join(folder, definitions);
  const text = await readFile(file, 'utf8');
  await writeFile(file, models.reduce(withVersionBefore, text));
  for (const code of earlier) {
    await takeBack(folder, code);
  }
  closeAtEndOfFile(() => rm(folder, { recursive: true, force: true }));
  return { path: join(folder, 'dist/cli/main.js') };
}

async function takeBack(folder: string, { file, now, before }: EarlierCode): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8');
  if (!text.includes(now)) {
    throw new Error(`${file} does not contain ${now}`);
  }
  await writeFile(join(folder, file), text.replace(now, before));
}

function withVersionBefore(text: string, model: ModelName): string {
  const version = new RegExp(`(\\n {4}${model}: \\{\\n {8}version: )(\\d+)`);
  if (!version.test(text)) {
    throw new Error(`${definitions} says nothing of the version of ${model}`);
  }
  return text.replace(
    version,
    (_, before: string, number: string) => `${before}${String(Number(number) - 1)}`,
  );
}
