import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';

import { messageOf } from '../../../shared/core/errors.js';
import { CommandFailure } from '../../terminal/output.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of this user for the commands of developers. Only this user can read its files. */
export interface UserFolder {
  readonly path: string;
  /** The text of a file, or null if there is no such file. */
  readonly read: (name: string) => string | null;
  /** Replaces a file as a whole, so that a crash leaves the earlier or the new text. */
  readonly write: (name: string, text: string) => void;
  /** Adds text to the end of a file. */
  readonly append: (name: string, text: string) => void;
  /** The text of a file, which is created with the given text if it is missing. */
  readonly readOrCreate: (name: string, text: string) => string;
}

const ownerOnly = { mode: 0o600 } as const;

/**
 * The folder follows the XDG Base Directory Specification: `$XDG_CONFIG_HOME/postrider` if the variable is an absolute
 * path, else `~/.config/postrider`.
 */
export function userFolder({ XDG_CONFIG_HOME: configured, HOME: home }: Environment): UserFolder {
  const path = join(
    configured !== undefined && isAbsolute(configured)
      ? configured
      : // `homedir()` would be an empty HOME too, and lead to a folder below the present one.
        join(home === undefined || home === '' ? userInfo().homedir : home, '.config'),
    'postrider',
  );
  const file = (name: string) => join(path, name);
  const inFolder = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw new CommandFailure(
        `${messageOf(error)}. The commands keep their state in ${path}; XDG_CONFIG_HOME selects another folder.`,
      );
    }
  };
  const makeFolderOf = (name: string) => mkdirSync(dirname(file(name)), { recursive: true, mode: 0o700 });
  const read = (name: string) => inFolder(() => textOf(file(name)));
  return {
    path,
    read,
    write: (name, text) => {
      inFolder(() => {
        makeFolderOf(name);
        const draft = `${file(name)}.${process.pid}`;
        writeFileSync(draft, text, ownerOnly);
        renameSync(draft, file(name));
      });
    },
    append: (name, text) => {
      inFolder(() => {
        appendFileSync(file(name), text, ownerOnly);
      });
    },
    readOrCreate: (name, text) => {
      const known = read(name);
      if (known !== null) {
        return known;
      }
      return inFolder(() => {
        makeFolderOf(name);
        try {
          // Of two commands that create the file at the same time, the first one decides.
          writeFileSync(file(name), text, { ...ownerOnly, flag: 'wx' });
          return text;
        } catch (error) {
          return textOf(file(name)) ?? rethrow(error);
        }
      });
    },
  };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

function rethrow(error: unknown): never {
  throw error;
}
