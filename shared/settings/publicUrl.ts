interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
}

/** Hosts that a server can listen on, but that clients cannot open. */
const everyHost: readonly string[] = ['0.0.0.0', '::'];

/** The public address of the service: the setting, or else the address that it listens on. */
export function publicUrlOf({ host, port, publicUrl }: HttpSettings): string {
  const shown = everyHost.includes(host) ? '127.0.0.1' : host;
  return publicUrl ?? `http://${shown.includes(':') ? `[${shown}]` : shown}:${String(port)}`;
}
