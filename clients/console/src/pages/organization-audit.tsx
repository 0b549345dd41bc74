import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, usePages } from '../parts/more-pages.tsx';
import { When } from '../parts/when.tsx';
import { AuditTrailDocument, type AuditTrailQuery } from './organization-audit.graphql.ts';

type Trail = NonNullable<NonNullable<AuditTrailQuery['organization']>['auditEvents']>;
type Entry = Trail['edges'][number]['node'];

/** The audit trail of an organization, newest first: changes and their actors. */
export function AuditTrail({ org }: { readonly org: string }) {
  const pages = usePages();
  const answer = useAsk(AuditTrailDocument, { org, after: pages.after });
  return (
    <Card title="Audit trail">
      <Loaded answer={answer}>
        {({ organization }) =>
          organization?.auditEvents != null && (
            <>
              {organization.auditEvents.edges.length === 0 ? (
                <Empty title="Nothing was changed yet" />
              ) : (
                <ol className="feed" aria-label="Changes, newest first">
                  {organization.auditEvents.edges.map(({ node }) => (
                    <Line key={node.eventId} entry={node} />
                  ))}
                </ol>
              )}
              <MorePages pages={pages} info={organization.auditEvents.pageInfo} list="the audit trail" />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Line({ entry }: { readonly entry: Entry }) {
  const { action, actor, objectKind, objectId, details, occurredAt, traceId } = entry;
  return (
    <li>
      <div className="line">
        <strong>{action}</strong>
        <span className="grows small">
          {objectKind} <code>{objectId}</code>
        </span>
        <When at={occurredAt} />
      </div>
      <div className="line small quiet">
        <span className="grows">by {actedBy(actor)}</span>
        <code>{traceId}</code>
      </div>
      <details>
        <summary className="small">
          Details <span className="seen-by-readers">of {action}</span>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
        <pre tabIndex={0}>{JSON.stringify({ details, actor }, null, 2)}</pre>
      </details>
    </li>
  );
}

/** The fields of an actor in the audit trail that a line shows. */
interface Actor {
  readonly principal?: { readonly principal_id: string; readonly display_name_at_capture: string | null } | null;
  readonly authenticator?: { readonly public_subject: string } | null;
  readonly authority?: { readonly kind: string; readonly reason_code?: string; readonly delegate_id?: string };
}

/** Returns the most descriptive name of the actor. */
function actedBy(given: Entry['actor']): string {
  const { principal, authenticator, authority } = given as Actor;
  return (
    principal?.display_name_at_capture ??
    authenticator?.public_subject ??
    principal?.principal_id ??
    authority?.delegate_id ??
    authority?.reason_code?.replaceAll('_', ' ') ??
    'the installation'
  );
}
