import { Section } from '../../design/section.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { providerName } from './user-columns.tsx';
import type { UserAccountQuery } from './users.graphql.ts';

type Account = NonNullable<UserAccountQuery['projectUser']>;
type Identity = Account['identities'][number];
type Passkey = Account['passkeys'][number];

const identityColumns: readonly TableColumn<Identity>[] = [
  { id: 'provider', name: 'Provider', cell: ({ provider }) => providerName(provider) },
  {
    id: 'account',
    name: 'Account',
    grows: true,
    cell: ({ providerEmail, providerSub }) => <bdi>{providerEmail ?? providerSub}</bdi>,
  },
  { id: 'linked', name: 'Linked', cell: ({ createdAt }) => <When at={createdAt} /> },
];

const passkeyColumns: readonly TableColumn<Passkey>[] = [
  { id: 'label', name: 'Passkey', grows: true, cell: ({ label }) => <bdi>{label ?? 'Unnamed'}</bdi> },
  { id: 'host', name: 'Host', cell: ({ rpId }) => <code>{rpId}</code> },
  { id: 'used', name: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
];

/** The accounts and passkeys that sign a user in. */
export function UserWays({ account: { identities, passkeys } }: { readonly account: Account }) {
  return (
    <>
      <Section title="Social accounts">
        <Table
          label="Social accounts"
          columns={identityColumns}
          rows={identities}
          keyOf={({ provider, providerSub }) => `${provider}:${providerSub}`}
          empty={<p className="quiet">None is linked.</p>}
        />
      </Section>
      <Section title="Passkeys">
        <Table
          label="Passkeys"
          columns={passkeyColumns}
          rows={passkeys}
          keyOf={({ passkeyId }) => passkeyId}
          empty={<p className="quiet">None is registered.</p>}
        />
      </Section>
    </>
  );
}
