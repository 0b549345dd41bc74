import { useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, usePages } from '../parts/more-pages.tsx';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { Link } from '../router.tsx';
import { may } from '../session/may.ts';
import { CreateProjectDocument, OrganizationDocument, RenameOrganizationDocument } from './organization.graphql.ts';
import { AuditTrail } from './organization-audit.tsx';
import { Invitations } from './organization-invites.tsx';
import { Members } from './organization-members.tsx';
import type { ListedProps, Organization } from './organization-parts.ts';
import { TierCard } from './organization-tier.tsx';

/** An organization: its projects, its members and its tier. */
export default function OrganizationPage({ org }: { readonly org: string }) {
  const projects = usePages();
  const members = usePages();
  const answer = useAsk(OrganizationDocument, { org, projectsAfter: projects.after, membersAfter: members.after });
  const name = answer.data?.organization?.displayName ?? 'Organization';
  return (
    <Page title={name} crumbs={[['Organizations', '/orgs']]}>
      <Loaded answer={answer}>
        {({ organization, tierStatus }) =>
          organization !== null && (
            <>
              <Projects organization={organization} pages={projects} />
              <div className="columns">
                <TierCard organization={organization} standing={tierStatus} />
                <Settings organization={organization} />
              </div>
              <Members organization={organization} pages={members} />
              <Invitations organization={organization} />
              {may(organization.role, 'org:audit:read') && <AuditTrail org={organization.orgId} />}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface Made {
  readonly projectId: string;
  readonly name: string;
  readonly keys: { readonly anonKey: string; readonly serviceKey: string } | null;
}

function Projects({ organization: { orgId, projects, role }, pages }: ListedProps) {
  const create = useChange(CreateProjectDocument);
  const [made, setMade] = useState<Made>();
  return (
    <Card title="Projects">
      {projects.edges.length === 0 ? (
        <Empty title="No project yet">A project has a database of its own, with its rows over REST and GraphQL.</Empty>
      ) : (
        <ul className="list" aria-label="Projects">
          {projects.edges.map(({ node }) => (
            <li key={node.id} className="line">
              <Link to={`/projects/${node.projectId}`} className="grows">
                {node.name}
              </Link>
              <Tag value={node.state} />
              <Tag value={node.status} />
              <When at={node.createdAt} />
            </li>
          ))}
        </ul>
      )}
      <MorePages pages={pages} info={projects.pageInfo} list="projects" />
      {may(role, 'project:create') && (
        <Form
          label="New project"
          className="row"
          send={async (values) => {
            const answer = await create.run({ org: orgId, name: textOf(values, 'name') });
            if (answer?.createProject != null) setMade(answer.createProject);
            return answer !== undefined;
          }}
        >
          <Field label="Name of a new project">
            <input name="name" required maxLength={200} />
          </Field>
          <button type="submit" className="main" disabled={create.busy}>
            {create.busy ? 'Creating…' : 'Create project'}
          </button>
        </Form>
      )}
      <ErrorNote error={create.error} />
      {made !== undefined && (
        <div className="note good" role="status">
          <p>
            <strong>{made.name}</strong> is ready. {made.keys === null ? 'Go on to ' : 'Its keys can be seen again on '}
            <Link to={`/projects/${made.projectId}`}>its page</Link>
            {made.keys === null ? '.' : '; the service key may do what an owner may.'}
          </p>
          {made.keys !== null && (
            <>
              <p>Anon key</p>
              <Secret name="anon key" value={made.keys.anonKey} />
              <p>Service key</p>
              <Secret name="service key" value={made.keys.serviceKey} />
            </>
          )}
        </div>
      )}
    </Card>
  );
}

function Settings({
  organization: { orgId, displayName, slug, createdAt, role },
}: {
  readonly organization: Organization;
}) {
  const rename = useChange(RenameOrganizationDocument);
  return (
    <Card title="Name">
      {may(role, 'org:rename') ? (
        <Form
          label="Name of the organization"
          className="row"
          send={async (values) => {
            await rename.run({ org: orgId, displayName: textOf(values, 'name') });
            return false;
          }}
        >
          <Field label="Name">
            <input name="name" defaultValue={displayName ?? ''} required maxLength={100} />
          </Field>
          <button type="submit" disabled={rename.busy}>
            Rename
          </button>
        </Form>
      ) : (
        <p>{displayName ?? <span className="quiet">It has no name yet.</span>}</p>
      )}
      <ErrorNote error={rename.error} />
      <dl className="facts">
        <dt>Id</dt>
        <dd>
          <code>{orgId}</code>
        </dd>
        {slug !== null && (
          <>
            <dt>Slug</dt>
            <dd>{slug}</dd>
          </>
        )}
        <dt>Your role</dt>
        <dd>{role === null ? 'none' : <Tag value={role} mood="plain" />}</dd>
        <dt>Since</dt>
        <dd>
          <When at={createdAt} />
        </dd>
      </dl>
    </Card>
  );
}
