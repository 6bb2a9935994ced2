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
import { RemovePerson } from './removePerson.js';
import { RoleSelect } from './roleSelect.js';
import { roleTexts } from './roles.js';

type Open = { readonly kind: 'invite' } | { readonly kind: 'remove' | 'link'; readonly user: User } | null;

const limit = 100;

export function PeoplePage() {
  const api = useApi();
  const [open, setOpen] = useState<Open>(null);
  const load = useCallback(
    (signal: AbortSignal): Promise<List<User>> =>
      answerOf(api.GET('/v1/users', { params: { query: { limit } }, signal })),
    [api],
  );
  const people = useLoaded(load);
  const close = () => {
    setOpen(null);
  };
  return (
    <PageFrame
      title="Users"
      lede="Who may use this dashboard, and for what."
      actions={
        <Button kind="primary" icon={UserPlus} onClick={() => setOpen({ kind: 'invite' })}>
          Invite user
        </Button>
      }
    >
      <LoadedContent of={people} waiting={<SkeletonRows count={3} what="people" />}>
        {({ data }) => <PeopleTable people={data} onOpen={setOpen} onChanged={people.reload} />}
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
      {open?.kind === 'invite' && <Invite onInvited={people.reload} onClose={close} />}
      {open?.kind === 'link' && <NewLink user={open.user} onClose={close} />}
      {open?.kind === 'remove' && <RemovePerson user={open.user} onRemoved={people.reload} onClose={close} />}
    </PageFrame>
  );
}

interface PeopleTableProps {
  readonly people: readonly User[];
  readonly onOpen: (open: Open) => void;
  readonly onChanged: () => void;
}

function PeopleTable({ people, onOpen, onChanged }: PeopleTableProps) {
  const { user: self } = useSession();
  const columns: readonly Column<User>[] = [
    {
      name: 'Person',
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
      <DataTable caption="Users" columns={columns} rows={people} keyOf={({ id }) => id} />
    </div>
  );
}
