import { UserPlus } from 'lucide';
import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { List, User } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { useApi, useSession } from '../session/session.js';
import { Invite } from './invite.js';
import { NewLink } from './newLink.js';
import { RemoveUser } from './removeUser.js';
import { RoleSelect } from './roleSelect.js';
import { roleTexts } from './roles.js';

type Open = { readonly kind: 'invite' } | { readonly kind: 'remove' | 'link'; readonly user: User } | null;

const limit = 100;

export function UsersPage() {
  const api = useApi();
  const [open, setOpen] = useState<Open>(null);
  const load = useCallback(
    (signal: AbortSignal): Promise<List<User>> =>
      answerOf(api.GET('/v1/users', { params: { query: { limit } }, signal })),
    [api],
  );
  const users = useLoaded(load);
  const close = () => {
    setOpen(null);
  };
  return (
    <PageFrame
      title="Users"
      lede="Users who can sign in to the account, with their roles."
      actions={
        <Button kind="primary" icon={UserPlus} onClick={() => setOpen({ kind: 'invite' })}>
          Invite user
        </Button>
      }
    >
      <LoadedContent of={users} waiting={<SkeletonRows count={3} what="users" />}>
        {({ data }) => <UsersTable users={data} onOpen={setOpen} onChanged={users.reload} />}
      </LoadedContent>
      <section class="guide" aria-labelledby="roles-heading">
        <h2 id="roles-heading">Roles</h2>
        <dl class="roles">
          {roleTexts.map(([role, name, text]) => (
            <div key={role}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
      {open?.kind === 'invite' && <Invite onInvited={users.reload} onClose={close} />}
      {open?.kind === 'link' && <NewLink user={open.user} onClose={close} />}
      {open?.kind === 'remove' && <RemoveUser user={open.user} onRemoved={users.reload} onClose={close} />}
    </PageFrame>
  );
}

interface UsersTableProps {
  readonly users: readonly User[];
  readonly onOpen: (open: Open) => void;
  readonly onChanged: () => void;
}

function UsersTable({ users, onOpen, onChanged }: UsersTableProps) {
  const { user: self } = useSession();
  const columns: readonly Column<User>[] = [
    {
      name: 'User',
      isMain: true,
      cell: ({ id, name, email }) => (
        <>
          <strong class="breakable">{name ?? email}</strong>{' '}
          {id === self.id && <Badge tone="info">You</Badge>}
          <span class="under quiet breakable">{email}</span>
        </>
      ),
    },
    { name: 'Role', cell: (user) => <RoleSelect user={user} onChanged={onChanged} /> },
    {
      name: 'Last sign-in',
      cell: ({ status, lastSignInAt }) => {
        if (status === 'invited') {
          return <Badge tone="warn">Invited</Badge>;
        }
        return lastSignInAt === null ? (
          <span class="quiet">Never</span>
        ) : (
          <Time at={lastSignInAt} form="relative" />
        );
      },
    },
    {
      name: 'Actions',
      isActions: true,
      cell: (user) => (
        <span class="buttons">
          <Button isSmall onClick={() => onOpen({ kind: 'link', user })}>
            Create link<span class="hidden"> for {user.email}</span>
          </Button>
          <Button isSmall onClick={() => onOpen({ kind: 'remove', user })}>
            Remove user<span class="hidden"> {user.email}</span>
          </Button>
        </span>
      ),
    },
  ];
  return (
    <div class="card card-table">
      <DataTable caption="Users" columns={columns} rows={users} keyOf={({ id }) => id} />
    </div>
  );
}
