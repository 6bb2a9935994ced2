import { Option, type Command } from 'commander';

import type { Mode } from '../../shared/domain/core/fact.js';
import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { withStores, type Stores } from '../environment/stores.js';
import {
  deleteTenant,
  existingTenant,
  listTenants,
  showTenant,
  type ListedTenant,
  type ShownTenant,
  type TenantList,
  type TenantScope,
} from '../tenants/accountTenants.js';
import { readCount } from '../terminal/arguments.js';
import { askForName } from '../terminal/confirmation.js';
import { print } from '../terminal/output.js';
import { onOneLine } from '../terminal/printableBytes.js';
import { renderTable } from '../terminal/table.js';

interface ModeOption {
  readonly mode: Mode;
}

interface ListOptions extends ModeOption {
  readonly limit: number;
  readonly json?: boolean;
}

interface ShowOptions extends ModeOption {
  readonly json?: boolean;
}

interface DeleteOptions extends ModeOption {
  readonly yes?: boolean;
}

const defaultLimit = 50;

const deleteHelp = `
Deletes the tenant with its webhooks, and ends its portal sessions. The open deliveries of its events are canceled with
the error tenant_deleted. The roles then remove its events and attempts from the read models. They also complete a
deletion that was interrupted. A deletion cannot be undone. A tenant with the same
id can be created again. The new tenant has none of the earlier data.`;

export function addTenantCommands(program: Command): void {
  const tenants = program.command('tenants');
  addListCommand(tenants);
  addShowCommand(tenants);
  addDeleteCommand(tenants);
}

function addListCommand(tenants: Command): void {
  tenants
    .command('list')
    .description('list the tenants of an account, newest first')
    .argument('<account>', 'the id of the account')
    .addOption(modeOption())
    .option('--limit <number>', 'the maximum number of tenants', readCount, defaultLimit)
    .option('--json', 'print JSON')
    .action(async (accountId: string, { mode, limit, json }: ListOptions) => {
      const config = await readConfig();
      const scope = { accountId, mode };
      const list = await withStores(config, (stores) => listTenants(stores, scope, limit));
      logOperatorCommand(config, 'tenants list', { ...scope });
      print(json === true ? list : describeList(list, scope));
    });
}

function addShowCommand(tenants: Command): void {
  tenants
    .command('show')
    .description('print a tenant with its metadata and the number of its webhooks')
    .argument('<account>', 'the id of the account')
    .argument('<id>', 'the id of the tenant')
    .addOption(modeOption())
    .option('--json', 'print JSON')
    .action(async (accountId: string, tenantId: string, { mode, json }: ShowOptions) => {
      const config = await readConfig();
      const scope = { accountId, mode };
      const shown = await withStores(config, (stores) => showTenant(stores, scope, tenantId));
      logOperatorCommand(config, 'tenants show', { ...scope, tenantId });
      print(json === true ? shown : describeOne(shown));
    });
}

function addDeleteCommand(tenants: Command): void {
  tenants
    .command('delete')
    .description('delete a tenant and its webhooks permanently')
    .argument('<account>', 'the id of the account')
    .argument('<id>', 'the id of the tenant')
    .addOption(modeOption())
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', deleteHelp)
    .action(async (accountId: string, tenantId: string, { mode, yes }: DeleteOptions) => {
      const config = await readConfig();
      const scope = { accountId, mode };
      const wasActive = await withStores(config, async (stores) => {
        const { status } = await existingTenant(stores, scope, tenantId);
        if (status === 'active' && yes !== true) {
          await askFor(stores, scope, tenantId);
        }
        await deleteTenant(stores, config, scope, tenantId);
        return status === 'active';
      });
      if (!wasActive) {
        logOperatorCommand(config, 'tenants delete', { ...scope, tenantId, changed: false });
      }
      print(
        wasActive
          ? `${tenantId} is deleted.`
          : `${tenantId} was already deleted. No webhook of the tenant remains.`,
      );
    });
}

async function askFor(stores: Stores, scope: TenantScope, tenantId: string): Promise<void> {
  const { active, disabled } = (await showTenant(stores, scope, tenantId)).webhooks;
  const question =
    `The command deletes the tenant ${tenantId} in ${scope.mode} mode and its webhooks (${active + disabled}) ` +
    'permanently. Type the id of the tenant to continue:';
  await askForName(question, tenantId);
}

function modeOption(): Option {
  return new Option('--mode <mode>', 'the mode of the tenants').choices(['live', 'test']).default('live');
}

const columns = [{ head: 'ID' }, { head: 'CREATED' }, { head: 'NAME' }];

function describeList({ data, hasMore }: TenantList, { accountId, mode }: TenantScope): string {
  if (data.length === 0) {
    return `${accountId} has no tenants in ${mode} mode.`;
  }
  const table = renderTable(columns, data.map(rowOf));
  return hasMore ? `${table}\nThe ${data.length} newest. Raise --limit to see more tenants.` : table;
}

function rowOf({ id, created, name }: ListedTenant): readonly string[] {
  return [id, created, onOneLine(name ?? '')];
}

function describeOne({
  id,
  name,
  mode,
  created,
  metadata,
  webhooks,
  lifeId,
  eventsFrom,
}: ShownTenant): string {
  return [
    `Tenant       ${id}`,
    `Name         ${name === null ? 'none' : onOneLine(name)}`,
    `Mode         ${mode}`,
    `Created      ${created}`,
    ...Object.entries(metadata).map(([key, value]) => `Metadata     ${onOneLine(key)}: ${onOneLine(value)}`),
    `Webhooks     ${webhooks.active} active, ${webhooks.disabled} disabled`,
    `Life id      ${lifeId}`,
    `Events from  ${eventsFrom.map((offset, partition) => `${partition}/${offset}`).join(', ')}`,
  ].join('\n');
}
