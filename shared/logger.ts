import { pino, type Logger as PinoLogger, type LevelWithSilent } from 'pino';
import pretty from 'pino-pretty';

export type Logger = Pick<PinoLogger, 'fatal' | 'error' | 'warn' | 'info' | 'debug'> & {
  child: (bindings: Record<string, unknown>) => Logger;
};

/** JSON lines on standard output; on a terminal the same lines for people. */
export function createLogger(options: { role: string; level: LevelWithSilent; isTerminal: boolean }): Logger {
  const settings = {
    level: options.level,
    base: { role: options.role },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return options.isTerminal
    ? pino(settings, pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' }))
    : pino(settings);
}
