import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { ModelName } from '../../shared/mongo/readModels.js';

/** The compiled program as it was before read models got another version. */
export interface OlderProgram {
  /** The file to run, with the arguments of `postrider`. */
  readonly path: string;
  readonly remove: () => Promise<void>;
}

const definitions = 'dist/shared/mongo/readModels.js';

/** A copy of the program that differs in nothing but that these models are one version back. */
export async function olderProgram(models: readonly ModelName[]): Promise<OlderProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-older-'));
  await cp('dist', join(folder, 'dist'), { recursive: true });
  for (const shared of ['node_modules', 'package.json', 'dashboard']) {
    await symlink(resolve(shared), join(folder, shared));
  }
  const file = join(folder, definitions);
  const text = await readFile(file, 'utf8');
  await writeFile(file, models.reduce(withVersionBefore, text));
  return {
    path: join(folder, 'dist/cli/main.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
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
