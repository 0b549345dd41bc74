import { useChange } from '../graph/use-change.ts';
import { type Answer, useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { bytes, Meter } from '../parts/meter.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { Link } from '../router.tsx';
import { mayChange } from '../session/may.ts';
import {
  OpenEscalationsDocument,
  OperatorDocument,
  type OperatorQuery,
  OverviewDocument,
  type OverviewQuery,
  RenameDocument,
  SendVerificationDocument,
  SetOperatorDocument,
  StandingDocument,
} from './overview.graphql.ts';
import { AnsweredFor } from './overview-answered-for.tsx';
import { useWaiting, Waiting } from './overview-waiting.tsx';

/** The operator's start page: their resources, pending tasks, and whether they can be reached. */
export default function Overview() {
  const answer = useAsk(OverviewDocument, {});
  return (
    <Page title="Overview">
      <Loaded answer={answer}>{({ whoami }) => whoami !== null && <Mine identity={whoami} />}</Loaded>
    </Page>
  );
}

type Identity = NonNullable<OverviewQuery['whoami']>;

function Mine({ identity: { principal, memberships } }: { readonly identity: Identity }) {
  const active = memberships.edges.filter(({ node }) => node.status === 'ACTIVE' && node.organization !== null);
  const waiting = useWaiting();
  return (
    <>
      <Waiting invites={waiting} />
      {active.length === 0 && waiting.length === 0 && (
        <Empty title="You belong to no organization yet">
          {mayChange() ? (
            <Link to="/orgs" className="button main">
              Create an organization
            </Link>
          ) : (
            'This session only reads.'
          )}
        </Empty>
      )}
      <div className="columns">
        {active.map(({ node }) => (
          <OrganizationCard key={node.id} organization={node.organization!} role={node.role} />
        ))}
      </div>
      {memberships.pageInfo.hasNextPage && (
        <p>
          These are the first fifty. <Link to="/orgs">All organizations</Link>
        </p>
      )}
      <AnsweredFor />
      <div className="columns">
        <You principal={principal} />
        <Reachable />
      </div>
    </>
  );
}

type Membership = Identity['memberships']['edges'][number]['node'];

function OrganizationCard({
  organization,
  role,
}: {
  readonly organization: NonNullable<Membership['organization']>;
  readonly role: Membership['role'];
}) {
  const { orgId, displayName, tier, lifecycleState, leaseExpiresAt, leasePerpetual } = organization;
  const standing = useAsk(StandingDocument, { org: orgId });
  const open = useAsk(OpenEscalationsDocument, { org: orgId });
  return (
    <Card
      title={displayName ?? 'Unnamed organization'}
      side={
        <Link to={`/orgs/${orgId}`}>
          Open <span className="seen-by-readers">{displayName ?? 'the organization'}</span>
        </Link>
      }
    >
      <div className="line">
        <Tag value={tier} mood="accent" /> <Tag value={lifecycleState} /> <Tag value={role} mood="plain" />
        {!leasePerpetual && (
          <span className="small quiet">
            lease ends <When at={leaseExpiresAt} />
          </span>
        )}
      </div>
      <Loaded answer={open}>
        {({ escalations }) =>
          escalations !== null && (
            <p>
              {escalations.edges.length === 0 ? (
                'No open escalations.'
              ) : (
                <Link to={`/orgs/${orgId}/escalations`}>
                  {escalations.edges.length}
                  {escalations.pageInfo.hasNextPage ? '+' : ''} open{' '}
                  {escalations.edges.length === 1 ? 'escalation' : 'escalations'}
                </Link>
              )}
            </p>
          )
        }
      </Loaded>
      <Loaded answer={standing}>
        {({ tierStatus, organization: found }) =>
          tierStatus !== null && (
            <>
              {tierStatus.platformStatus !== null && (
                <p className="note warn">The platform is degraded: an incident is open.</p>
              )}
              {!tierStatus.operatorReachable && (
                <p className="note warn">No member has a verified mail address, so notices are not delivered.</p>
              )}
              <Meter label="Requests" used={tierStatus.poolUsage.apiCalls} limit={tierStatus.poolUsage.apiCallsLimit} />
              <Meter
                label="Storage"
                used={tierStatus.poolUsage.storageBytes}
                limit={tierStatus.poolUsage.storageBytesLimit}
                format={bytes}
              />
              {found !== null && found.projects.edges.length > 0 && (
                <ul className="list" aria-label="Projects">
                  {found.projects.edges.map(({ node }) => (
                    <li key={node.id} className="line">
                      <Link to={`/projects/${node.projectId}`} className="grows">
                        {node.name}
                      </Link>
                      <Tag value={node.status} />
                    </li>
                  ))}
                </ul>
              )}
              {found?.projects.pageInfo.hasNextPage === true && (
                <p className="quiet small">…and more: open it to see all.</p>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function You({ principal }: { readonly principal: Identity['principal'] }) {
  const rename = useChange(RenameDocument);
  return (
    <Card title="You">
      <dl className="facts">
        <dt>Principal</dt>
        <dd>
          <code>{principal.principalId}</code>
        </dd>
        <dt>Since</dt>
        <dd>
          <When at={principal.createdAt} />
        </dd>
      </dl>
      {mayChange() ? (
        <Form
          label="Your name"
          className="row"
          send={async (values) => {
            await rename.run({ displayName: textOf(values, 'name') });
            return false;
          }}
        >
          <Field label="Name for others">
            <input name="name" defaultValue={principal.displayName ?? ''} required maxLength={64} />
          </Field>
          <button type="submit" disabled={rename.busy}>
            Save
          </button>
        </Form>
      ) : (
        principal.displayName !== null && <p>{principal.displayName}</p>
      )}
      <Outcome change={rename} done="Saved." />
    </Card>
  );
}

function Reachable() {
  const asked = useAsk(OperatorDocument, {});
  // A missing contact is not an error.
  const answer: Answer<OperatorQuery> =
    asked.error?.code === 'RESOURCE_NOT_FOUND'
      ? { ...asked, data: { operatorContact: null }, error: undefined }
      : asked;
  const set = useChange(SetOperatorDocument);
  const verify = useChange(SendVerificationDocument);
  return (
    <Card title="Where notices go">
      <Loaded answer={answer}>
        {({ operatorContact: contact }) => (
          <>
            {contact?.email === undefined || contact.email === null ? (
              <Empty title="No address yet">
                Notices about your organizations, such as incidents, go to the address named here.
              </Empty>
            ) : (
              <div className="line">
                <span className="grows">{contact.email}</span>
                <Tag
                  value={contact.emailVerification}
                  mood={contact.emailVerification === 'VERIFIED' ? 'good' : 'warn'}
                />
                {contact.emailVerification !== 'VERIFIED' && mayChange() && (
                  <button type="button" className="slim" disabled={verify.busy} onClick={() => void verify.run({})}>
                    Send the link again
                  </button>
                )}
              </div>
            )}
            {mayChange() && (
              <Form
                label="Where notices go"
                className="row"
                send={async (values) => {
                  const email = textOf(values, 'email');
                  await set.run({ name: textOf(values, 'name'), email: email === '' ? null : email });
                  return false;
                }}
              >
                <Field label="Contact’s name">
                  <input name="name" defaultValue={contact?.name ?? ''} required maxLength={64} />
                </Field>
                <Field label="Mail address">
                  <input name="email" type="email" defaultValue={contact?.email ?? ''} autoComplete="email" />
                </Field>
                <button type="submit" disabled={set.busy}>
                  Save
                </button>
              </Form>
            )}
          </>
        )}
      </Loaded>
      <Outcome change={set} done="Saved." />
      <Outcome change={verify} done="The link is on its way again." />
    </Card>
  );
}
