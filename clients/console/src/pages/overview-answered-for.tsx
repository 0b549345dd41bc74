import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Tag } from '../parts/tag.tsx';
import { Link } from '../router.tsx';
import { AnsweredForDocument, type AnsweredForQuery } from './overview.graphql.ts';

type Answered = NonNullable<AnsweredForQuery['operatorOverview']>;

/** The operator's overview from the gateway: counts and names of everything that the operator is responsible for. */
export function AnsweredFor() {
  const answer = useAsk(AnsweredForDocument, {});
  return (
    <Card title="Usage">
      <Loaded answer={answer}>{({ operatorOverview: found }) => found !== null && <Everything found={found} />}</Loaded>
    </Card>
  );
}

function Everything({ found: { rollup, organizations, wallets, advisories } }: { readonly found: Answered }) {
  const counts = [
    ['Organizations', rollup.organizations],
    ['Projects', rollup.projects],
    ['Wallets', rollup.wallets],
    ['To look at', rollup.advisories],
  ] as const;
  const nameOf = (org: string) =>
    organizations.find(({ orgId }) => orgId === org)?.displayName ?? 'an unnamed organization';
  return (
    <>
      <dl className="numbers">
        {counts.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count.toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      {advisories.length > 0 && (
        <ul className="list" aria-label="To look at">
          {advisories.map(({ type, orgId }) => (
            <li key={`${type} ${orgId}`} className="line">
              <Tag value={type} mood="warn" />
              <span className="grows">
                {advised[type] ?? 'Look at'} <Link to={`/orgs/${orgId}`}>{nameOf(orgId)}</Link>.
              </span>
            </li>
          ))}
        </ul>
      )}
      {organizations.length > 0 && (
        <ul className="list" aria-label="Your organizations">
          {organizations.map(({ orgId, displayName, role, projectCount, memberCount }) => (
            <li key={orgId} className="line">
              <Link to={`/orgs/${orgId}`} className="grows">
                {displayName ?? 'Unnamed organization'}
              </Link>
              <Tag value={role} mood="plain" />
              <span className="small quiet">
                {counted(projectCount, 'project')}, {counted(memberCount, 'member')}
              </span>
            </li>
          ))}
        </ul>
      )}
      {wallets.length > 0 && (
        <ul className="list" aria-label="Wallets">
          {wallets.map((wallet) => (
            <li key={wallet}>
              <code>{wallet}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The organization's name follows the text. */
const advised: Readonly<Record<string, string>> = {
  operator_unreachable: 'No owner or admin has a mail address that is known to work:',
  lease_past_due: 'The lease has run out:',
};

const counted = (count: number, what: string) => `${count.toLocaleString()} ${what}${count === 1 ? '' : 's'}`;
