import { readFile } from 'node:fs/promises';

/** A numbered step of a recipe: its text, and its commands if it has some. */
export interface RecipeStep {
  readonly text: string;
  readonly commands: string | null;
}

/** The recipes of docs/operations/backup.md. */
export interface BackupPage {
  /** The parts of a backup: the first cell of each row of the table. */
  readonly parts: readonly string[];
  readonly backUp: readonly RecipeStep[];
  readonly restore: readonly RecipeStep[];
}

export async function readBackupPage(): Promise<BackupPage> {
  const page = await readFile('docs/operations/backup.md', 'utf8');
  return {
    parts: [...page.matchAll(/^\| (?!part |-)(.*?) \|/gm)].map(([, part = '']) => part.trim()),
    backUp: stepsOf(page, 'Back up'),
    restore: stepsOf(page, 'Restore'),
  };
}

function stepsOf(page: string, title: string): readonly RecipeStep[] {
  const recipe = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return recipe
    .split(/^(?=\d+\. )/m)
    .slice(1)
    .map((step) => ({
      text: step.replace(/```.*?```/gs, '').trim(),
      commands: /```sh\n(.*?)```/s.exec(step)?.[1] ?? null,
    }));
}
