import { isIP } from 'node:net';

import { z } from 'zod';

export const flag = z
  .enum(['true', 'false'], { error: 'true or false' })
  .transform((text) => text === 'true');

export const wholeNumber = (minimum: number, maximum: number) => {
  const error = `a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .refine((number) => number >= minimum && number <= maximum, { error });
};

export const url = (schemes: readonly string[]) =>
  z.string().refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol), {
    error: `an address that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  });

/** The host and port of a server. An IPv6 address has no brackets. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

const hostPort = /^(\[[0-9A-Fa-f:.]+\]|[^\s,:/@[\]]+):(\d{1,5})$/;
const highestPort = 65_535;

/**
 * The parts of `host:port` or `[IPv6]:port`. The result is null for text of another form, or if the port is not from 1
 * to 65535.
 */
export function parseHostPort(text: string): HostPort | null {
  const [, host = '', digits = ''] = hostPort.exec(text) ?? [];
  const port = Number(digits);
  const bare = host.replace(/^\[|\]$/g, '');
  if (port < 1 || port > highestPort || (host !== bare && isIP(bare) !== 6)) {
    return null;
  }
  return { host: bare, port };
}

/** Whether traffic to a host stays on this machine and needs no TLS. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host === '::1' ||
    host === '[::1]' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

/** The error for a missing or wrong setting. The error's message names the setting and the allowed values. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
