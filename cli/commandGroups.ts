import process from 'node:process';

import type { Command } from 'commander';

import { canStoreLocally, namesServers } from './environment/localFolder.js';

/** The commands that one module adds to the program. */
export interface CommandModule {
  /** The descriptions of the commands by name. The help shows them without loading the module. */
  readonly commands: Readonly<Record<string, string>>;
  /** Whether the help omits the commands, because they cannot work here. */
  readonly isHidden?: () => boolean;
  readonly load: () => Promise<(program: Command) => void>;
}

/** The command that needs all other commands with their options. */
export const completion = 'completion';

const developerCommands: readonly CommandModule[] = [
  {
    commands: { listen: 'forward events to a receiver on this machine' },
    load: async () => (await import('./commands/listen.js')).addListenCommand,
  },
  {
    commands: { trigger: 'post an event' },
    load: async () => (await import('./commands/trigger.js')).addTriggerCommand,
  },
  {
    commands: { events: 'list, show, follow and resend events' },
    load: async () => (await import('./commands/events.js')).addEventCommands,
  },
  {
    commands: { webhooks: 'list, create, change, delete, test and preview webhooks' },
    load: async () => (await import('./commands/webhooks.js')).addWebhookCommands,
  },
  {
    commands: { replays: 'deliver events of the past again' },
    load: async () => (await import('./commands/replays.js')).addReplayCommands,
  },
  {
    commands: {
      verify: 'verify the signature of a request, offline',
      sign: 'sign a body like a delivery, offline',
    },
    load: async () => (await import('./commands/signatures.js')).addSignatureCommands,
  },
  {
    commands: { doctor: 'check the address, the key, the clock and a receiver, and say what to change' },
    load: async () => (await import('./commands/doctor.js')).addDoctorCommand,
  },
  {
    commands: { login: 'store an API key and the address of its service' },
    load: async () => (await import('./commands/login.js')).addLoginCommand,
  },
  {
    commands: { [completion]: 'print a script that completes the commands in a shell' },
    load: async () => (await import('./commands/completion.js')).addCompletionCommand,
  },
];

const operatorCommands: readonly CommandModule[] = [
  {
    commands: { start: 'run the whole service on this machine' },
    isHidden: () => !canStoreLocally() && !namesServers(process.env),
    load: async () => (await import('./commands/start.js')).addStartCommand,
  },
  {
    commands: { reset: 'stop the local servers and delete all data of "start" in .postrider/' },
    isHidden: () => !canStoreLocally(),
    load: async () => (await import('./commands/reset.js')).addResetCommand,
  },
  {
    commands: { stack: 'run only the local Kafka, MongoDB and Redis' },
    isHidden: () => !canStoreLocally(),
    load: async () => (await import('./commands/stack.js')).addStackCommands,
  },
  {
    commands: {
      api: 'run one role: answer the HTTP requests of clients and the dashboard',
      projections: 'run one role: fold the log into the read models that the API reads',
      delivery: 'run one role: deliver events to webhooks',
      all: 'run all three roles in one process, for small installations',
    },
    load: async () => (await import('./commands/roles.js')).addRoleCommands,
  },
  {
    commands: { migrate: 'create missing topics, and check the existing topics' },
    load: async () => (await import('./commands/migrate.js')).addMigrateCommand,
  },
  {
    commands: { account: 'create, list and change accounts' },
    load: async () => (await import('./commands/account.js')).addAccountCommands,
  },
  {
    commands: { tenants: 'list, show and delete the tenants of an account' },
    load: async () => (await import('./commands/tenants.js')).addTenantCommands,
  },
  {
    commands: { rebuild: 'rebuild read models from the log while the service runs' },
    load: async () => (await import('./commands/rebuild.js')).addRebuildCommand,
  },
  {
    commands: { offsets: 'set the offsets of the delivery group after Kafka has expired them' },
    load: async () => (await import('./commands/offsets.js')).addOffsetsCommands,
  },
  {
    commands: { secrets: 'manage the encryption of secrets' },
    load: async () => (await import('./commands/secrets.js')).addSecretsCommands,
  },
  {
    commands: { dlq: 'list, show and redrive dead letters: records that consumers could not process' },
    load: async () => (await import('./commands/dlq.js')).addDlqCommands,
  },
  {
    commands: { lag: 'show the lag of each consumer group by partition' },
    load: async () => (await import('./commands/lag.js')).addLagCommand,
  },
];

/** All commands of the program, below their headings in the help. */
export const commandGroups = [
  { heading: 'Commands for developers, which need only an API key:', modules: developerCommands },
  { heading: 'Commands for operators, which use the servers of the service:', modules: operatorCommands },
] as const;
