import { type RefObject, useRef, useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { useLiveQuery } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, usePages } from '../parts/more-pages.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { Link } from '../router.tsx';
import { may, mayAround } from '../session/may.ts';
import { Contacts } from './escalation-contacts.tsx';
import {
  type EscalationSeverity,
  type EscalationStatus,
  EscalationsDocument,
  FollowEscalationsDocument,
  RaiseEscalationDocument,
} from './escalations.graphql.ts';
import { useOrg } from './use-org.ts';

/** Escalations of an organization, updated as they are raised and answered. */
export default function Escalations({ org }: { readonly org: string }) {
  const [status, setStatus] = useState<EscalationStatus | null>(null);
  const pages = usePages(status ?? '');
  const { role, crumbs } = useOrg(org);
  const asked = { org, status, after: pages.after };
  const answer = useLiveQuery(EscalationsDocument, asked, FollowEscalationsDocument, {
    following: { org },
    from: (data) => data.escalations?.cursor,
  });
  const seen = answer.data?.escalations != null;
  const contact = useRef<HTMLInputElement>(null);
  return (
    <Page title="Escalations" crumbs={crumbs}>
      <Card
        title="Raised"
        side={
          <select
            aria-label="Which to show"
            value={status ?? ''}
            onChange={(event) => setStatus((event.target.value || null) as EscalationStatus | null)}
          >
            <option value="">All</option>
            <option value="OPEN">Open</option>
            <option value="ACKNOWLEDGED">Acknowledged</option>
            <option value="RESOLVED">Resolved</option>
          </select>
        }
      >
        <Loaded answer={answer}>
          {({ escalations }) => {
            const { edges = [], pageInfo, scope } = escalations ?? {};
            return (
              <>
                {scope === 'OWN' && <p className="quiet small">You see those that you raised.</p>}
                {edges.length === 0 ? (
                  <Empty title={status === null || status === 'OPEN' ? 'No open escalations' : 'None of these'}>
                    Programs and people raise an escalation when they need a person.
                  </Empty>
                ) : (
                  <ul className="list" aria-label="Escalations">
                    {edges.map(({ node }) => (
                      <li key={node.escalationId} className="line">
                        <Link to={`/orgs/${org}/escalations/${node.escalationId}`} className="grows">
                          {node.reason}
                        </Link>
                        {node.severity === 'HIGH' && <Tag value="HIGH" />}
                        <Tag value={node.status} />
                        {node.presenceName !== null && <span className="small quiet">{node.presenceName}</span>}
                        <When at={node.raisedAt} />
                      </li>
                    ))}
                  </ul>
                )}
                <MorePages pages={pages} info={pageInfo} />
              </>
            );
          }}
        </Loaded>
      </Card>
      <div className="columns">
        {seen && mayAround(role, 'escalation:raise') && <Raise org={org} contact={contact} />}
        {may(role, 'escalation:contacts:read') && <Contacts org={org} role={role} mail={contact} />}
      </div>
    </Page>
  );
}

interface RaiseProps {
  readonly org: string;
  /** The input for a new contact, for members who may add one. */
  readonly contact: RefObject<HTMLInputElement | null>;
}

function Raise({ org, contact }: RaiseProps) {
  const raise = useChange(RaiseEscalationDocument);
  const [paged, setPaged] = useState<readonly string[]>();
  return (
    <Card title="Raise an escalation">
      <Form
        label="Raise an escalation"
        className="stack"
        send={async (values) => {
          setPaged(undefined);
          const answer = await raise.run({
            org,
            reason: textOf(values, 'reason'),
            severity: textOf(values, 'severity') as EscalationSeverity,
          });
          const raised = answer?.raiseEscalation;
          if (raised == null) return false;
          setPaged(raised.willPage.map(({ displayName, email }) => displayName ?? email));
          return true;
        }}
      >
        <Field label="Reason">
          <textarea name="reason" required rows={3} />
        </Field>
        <Field
          label="Severity"
          hint="An unanswered escalation goes to the next level after 30 minutes if high, after 2 hours if normal."
        >
          <select name="severity" defaultValue="NORMAL">
            <option value="NORMAL">normal</option>
            <option value="HIGH">high</option>
          </select>
        </Field>
        <div>
          <button type="submit" disabled={raise.busy}>
            Raise
          </button>
        </div>
      </Form>
      <div role="status">
        {paged !== undefined && paged.length > 0 && (
          <p className="note good">The escalation is raised. Notified: {paged.join(', ')}.</p>
        )}
        {paged?.length === 0 && (
          <div className="note warn">
            <p>
              <strong>The escalation is raised, but no one was notified:</strong> the organization has no escalation
              contacts. The first contact that is added is notified of it.
            </p>
            {contact.current === null ? (
              <p>An owner of the organization can add a contact.</p>
            ) : (
              <div>
                <button type="button" className="slim" onClick={() => contact.current?.focus()}>
                  Add a contact
                </button>
              </div>
            )}
          </div>
        )}
      </div>
      <ErrorNote error={raise.error} />
    </Card>
  );
}
