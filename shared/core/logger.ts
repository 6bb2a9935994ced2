import { pino, type DestinationStream, type Logger as PinoLogger, type LevelWithSilent } from 'pino';
import pretty from 'pino-pretty';

export type Logger = Pick<PinoLogger, 'fatal' | 'error' | 'warn' | 'info' | 'debug'> & {
  child: (bindings: Record<string, unknown>) => Logger;
};

export interface LoggerOptions {
  readonly role: string;
  readonly level: LevelWithSilent;
  readonly isTerminal: boolean;
  /** The output stream; standard output by default. */
  readonly stream?: DestinationStream;
}

/** A logger that writes JSON lines, or formatted lines on a terminal. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    base: { role: options.role },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  if (options.isTerminal) {
    return pino(settings, pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' }));
  }
  return options.stream === undefined ? pino(settings) : pino(settings, options.stream);
}
