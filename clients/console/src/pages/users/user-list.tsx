import { SearchX, UserPlus, Users } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { SearchField, Select } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { usePath } from '../../router.tsx';
import { usePageSearch, useSearch } from '../../search.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { userColumns } from './user-columns.tsx';
import { UserListDocument } from './users.graphql.ts';

const roles = [
  { id: '', name: 'Everybody' },
  { id: 'admin', name: 'Admins' },
  { id: 'user', name: 'Not admins' },
];
const proofs = [
  { id: '', name: 'Any address' },
  { id: 'proven', name: 'Confirmed' },
  { id: 'unproven', name: 'Not confirmed' },
];
const providers = [
  { id: '', name: 'Any sign-in' },
  { id: 'email', name: 'Mail or password' },
  { id: 'google', name: 'Google' },
];
const ages = [
  { id: '', name: 'Any time' },
  { id: '1', name: 'Last day' },
  { id: '7', name: 'Last 7 days' },
  { id: '30', name: 'Last 30 days' },
];

const yesOrNo = (value: string, yes: string): boolean | null => (value === '' ? null : value === yes);

/** The moment so many days ago, to the hour, so that the same page asks the same. */
function since(days: string): string | null {
  if (days === '') return null;
  const hour = 3_600_000;
  return new Date(Math.floor(Date.now() / hour) * hour - Number(days) * 24 * hour).toISOString();
}

interface UserListProps {
  readonly projectId: string;
  readonly add: () => void;
}

/** The users of a project with a search and filters, which the address holds. */
export function UserList({ projectId, add }: UserListProps) {
  useCommands([{ id: 'add user', name: 'Add user', icon: UserPlus, words: 'invite create', act: add }]);
  const [role, setRole] = useSearch('role', '');
  const [proof, setProof] = useSearch('address', '');
  const [provider, setProvider] = useSearch('provider', '');
  const [age, setAge] = useSearch('age', '');
  const [after, setAfter] = useSearch('after', '');
  const [query, setQuery] = useSearch('q', '');
  const search = useTypedSearch('q', { begin: () => setAfter('', { replace: true }) });
  const filtered = [query, role, proof, provider, age].some((value) => value !== '');
  const answer = useAsk(UserListDocument, {
    project: projectId,
    query: query === '' ? null : query,
    isAdmin: yesOrNo(role, 'admin'),
    confirmed: yesOrNo(proof, 'proven'),
    provider: provider === '' ? null : provider,
    createdSince: since(age),
    after: after === '' ? null : after,
  });
  const path = usePath();
  const here = usePageSearch();
  /** A filter begins at the first page. */
  const first = (set: typeof setRole) => (value: string) => {
    setAfter('', { replace: true });
    set(value);
  };
  const clear = () => {
    for (const set of [setQuery, setRole, setProof, setProvider, setAge, setAfter]) set('', { replace: true });
  };
  const linkOf = ({ userId }: { readonly userId: string }) => {
    const params = new URLSearchParams(here);
    params.set('user', userId);
    return `${path}?${params}`;
  };
  return (
    <div className="users">
      <Toolbar label="Filter the users">
        <SearchField
          label="Search by address or id"
          placeholder="Address or id"
          value={search.typed}
          onChange={search.type}
        />
        <Select label="Role" options={roles} value={role} onChange={first(setRole)} />
        <Select label="Address" options={proofs} value={proof} onChange={first(setProof)} />
        <Select label="Sign-in" options={providers} value={provider} onChange={first(setProvider)} />
        <Select label="Created" options={ages} value={age} onChange={first(setAge)} />
        {filtered && (
          <Button variant="quiet" small onPress={clear}>
            Clear filters
          </Button>
        )}
      </Toolbar>
      <Loaded answer={answer}>
        {({ project }) => {
          const page = project?.users;
          return (
            <>
              <Table
                label="Users"
                columns={userColumns}
                rows={page?.edges.map(({ node }) => node) ?? []}
                keyOf={({ userId }) => userId}
                linkOf={linkOf}
                empty={
                  filtered ? (
                    <State
                      icon={SearchX}
                      title="No user matches"
                      action={<Button onPress={clear}>Clear filters</Button>}
                    >
                      The search compares the beginning of addresses and ids.
                    </State>
                  ) : (
                    <State
                      icon={Users}
                      title="No users yet"
                      action={
                        <Button icon={UserPlus} onPress={add}>
                          Add user
                        </Button>
                      }
                    >
                      Users appear here when they sign up in the app, or when you add or import them.
                    </State>
                  )
                }
              />
              {(after !== '' || page?.pageInfo.hasNextPage === true) && (
                <nav className="users-pages" aria-label="Pages of users">
                  <Button small isDisabled={after === ''} onPress={() => setAfter('')}>
                    Newest
                  </Button>
                  <Button
                    small
                    isDisabled={page?.pageInfo.hasNextPage !== true}
                    onPress={() => setAfter(page?.pageInfo.endCursor ?? '')}
                  >
                    Older
                  </Button>
                </nav>
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}
