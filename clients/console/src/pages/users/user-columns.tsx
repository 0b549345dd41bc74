import { ShieldCheck } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { Avatar } from '../../design/status.tsx';
import type { TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import type { UserRowFragment } from './users.graphql.ts';

const names: Readonly<Record<string, string>> = { google: 'Google' };

/** A provider as its users know it. */
export const providerName = (provider: string): string => names[provider] ?? provider;

/** The ways in which a user signs in, in words. */
export function waysOf({ hasPassword, providers, passkeyCount }: UserRowFragment): readonly string[] {
  const ways = [
    ...(hasPassword ? ['Password'] : []),
    ...providers.map(providerName),
    ...(passkeyCount > 0 ? ['Passkey'] : []),
  ];
  return ways.length === 0 ? ['Mail'] : ways;
}

export const userColumns: readonly TableColumn<UserRowFragment>[] = [
  {
    id: 'user',
    name: 'User',
    wraps: true,
    cell: ({ email, displayName }) => (
      <span className="user-name">
        <Avatar name={displayName ?? email} />
        <span>
          <bdi>{displayName ?? email}</bdi>
          {displayName !== null && <span className="quiet small">{email}</span>}
        </span>
      </span>
    ),
  },
  {
    id: 'state',
    name: 'State',
    cell: ({ isAdmin, isTest, emailVerifiedAt }) => (
      <span className="user-badges">
        {isAdmin && (
          <Badge mood="accent" icon={ShieldCheck}>
            Admin
          </Badge>
        )}
        {isTest && <Badge>Test</Badge>}
        {emailVerifiedAt === null ? <Badge mood="warn">Not confirmed</Badge> : <Badge mood="good">Confirmed</Badge>}
      </span>
    ),
  },
  { id: 'ways', name: 'Signs in by', cell: (user) => waysOf(user).join(', ') },
  { id: 'seen', name: 'Last sign-in', cell: ({ lastSignInAt }) => <When at={lastSignInAt} /> },
  { id: 'created', name: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
];
