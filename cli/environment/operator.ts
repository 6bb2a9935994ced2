import { userInfo } from 'node:os';
import process from 'node:process';

import type { Config } from '../../shared/settings/config.js';
import type { Actor } from '../../shared/domain/core/fact.js';
import { createLogger } from '../../shared/core/logger.js';
import { createSecurityLog } from '../../shared/security/securityLog.js';

/** The actor of changes that the program makes without an operator. */
export const program: Actor = { type: 'operator', id: null, name: 'postrider' };

/**
 * The operator of a command: the name in the setting `POSTRIDER_OPERATOR`, or else the user of the operating system.
 */
export function operatorOf({ operator }: Pick<Config, 'operator'>): Actor {
  return { type: 'operator', id: null, name: operator ?? systemUser() };
}

/**
 * Writes the security log line of a command that belongs to no account, as JSON on standard error. Standard output
 * contains only the result of the command. A command whose changes take long writes the line before its first change.
 * Any other command writes the line after its success. A command that failed without effect therefore prints one line.
 * @param command the words of the command
 * @param details the arguments, without secrets
 */
export function logOperatorCommand(
  config: Pick<Config, 'operator' | 'log'>,
  command: string,
  details: Readonly<Record<string, unknown>> = {},
): void {
  const logger = createLogger({
    role: 'cli',
    level: config.log.level,
    isTerminal: false,
    stream: process.stderr,
  });
  const securityLog = createSecurityLog(logger, () => performance.now());
  securityLog.write('operator_command', { operator: operatorOf(config).name, command, ...details });
}

/**
 * Writes the security log line of an account command that changed nothing, because the audit log has no entry for such
 * a command.
 * @param accountId the account that already had the requested state
 */
export function logUnchanged(
  config: Pick<Config, 'operator' | 'log'>,
  command: string,
  accountId: string,
): void {
  logOperatorCommand(config, command, { accountId, changed: false });
}

/** The user of the operating system. In a container the user may have a number but no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.() ?? 'unknown')}`;
  }
}
