interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
}

/** Hosts that a server listens on, and nobody can open. */
const everyHost: readonly string[] = ['0.0.0.0', '::'];

/** Where people find the service: as the settings say it, or else where it listens. */
export function publicUrlOf({ host, port, publicUrl }: HttpSettings): string {
  const shown = everyHost.includes(host) ? '127.0.0.1' : host;
  return publicUrl ?? `http://${shown.includes(':') ? `[${shown}]` : shown}:${String(port)}`;
}
