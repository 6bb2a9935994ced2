import { isDeepStrictEqual } from 'node:util';

import type { CommandRunner } from '../../../shared/commands/commandRunner.js';
import type { AccountFact } from '../../../shared/domain/accounts/account.js';
import {
  defaultPortalSettings,
  type PortalSettings,
} from '../../../shared/domain/accounts/portalSettings.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { accountRecordContext, readAccount } from '../../authentication/callerAccount.js';
import type { Caller } from '../../http/context.js';

/** The changed portal settings. An absent field does not change. */
export type PortalUpdate = { readonly [Field in keyof PortalSettings]?: PortalSettings[Field] | undefined };

export interface AccountCommands {
  /** Changes the settings of the customer portal. A change without a difference appends nothing. */
  changePortal: (caller: Caller, update: PortalUpdate, identity: RequestIdentity) => Promise<void>;
}

export interface AccountCommandDependencies {
  readonly runner: CommandRunner;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
}

export function createAccountCommands({ runner, accounts }: AccountCommandDependencies): AccountCommands {
  return {
    changePortal: ({ accountId, actor }, update, identity) =>
      runner.run({
        accountId,
        topic: 'accounts',
        decide: async () => {
          const from = (await readAccount(accounts, accountId)).portal ?? defaultPortalSettings;
          const to = updated(from, update);
          if (isDeepStrictEqual(from, to)) {
            return { records: [], result: undefined };
          }
          const fact: AccountFact = {
            type: 'postrider.account.settings-changed',
            value: { changes: { portal: { from, to } }, actor },
          };
          const record = accountRecords.encode(fact, accountRecordContext(accountId, identity));
          return { records: [record], result: undefined };
        },
      }),
  };
}

function updated(from: PortalSettings, update: PortalUpdate): PortalSettings {
  const {
    name = from.name,
    logoUrl = from.logoUrl,
    accentColor = from.accentColor,
    colorScheme = from.colorScheme,
    origins = from.origins,
  } = update;
  return { name, logoUrl, accentColor, colorScheme, origins };
}
