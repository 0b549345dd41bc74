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
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { go, Link } from '../router.tsx';
import { mayChange } from '../session/may.ts';
import { AllProjectsDocument, CreateOrganizationDocument, OrganizationsDocument } from './organizations.graphql.ts';
import { ownerName } from './project-crumbs.ts';

/** The caller's organizations, and a form to create one. */
export default function Organizations() {
  const pages = usePages();
  const answer = useAsk(OrganizationsDocument, { after: pages.after });
  return (
    <Page title="Organizations">
      <Card title="Yours">
        <Loaded answer={answer}>
          {({ organizations }) => {
            const { edges = [], pageInfo } = organizations ?? {};
            return (
              <>
                {edges.length === 0 ? (
                  <Empty title="None yet">An organization holds projects, rooms and the people who may see them.</Empty>
                ) : (
                  <ul className="list" aria-label="Organizations">
                    {edges.map(({ node }) => (
                      <li key={node.id} className="line">
                        <Link to={`/orgs/${node.orgId}`} className="grows">
                          {node.displayName ?? node.slug ?? node.orgId}
                        </Link>
                        {node.role !== null && <Tag value={node.role} mood="plain" />}
                        <Tag value={node.tier} mood="accent" />
                        <Tag value={node.lifecycleState} />
                        <When at={node.createdAt} />
                      </li>
                    ))}
                  </ul>
                )}
                <MorePages pages={pages} info={pageInfo} list="organizations" />
              </>
            );
          }}
        </Loaded>
      </Card>
      <AllProjects />
      {mayChange() && <NewOrganization />}
    </Page>
  );
}

/** Includes projects of other organizations that the caller can access by a grant. */
function AllProjects() {
  const pages = usePages();
  const answer = useAsk(AllProjectsDocument, { after: pages.after });
  return (
    <Card title="All projects">
      <Loaded answer={answer}>
        {({ projects }) => {
          const { edges = [], pageInfo } = projects ?? {};
          return (
            <>
              {edges.length === 0 ? (
                <Empty title="No project yet">Projects are made in an organization.</Empty>
              ) : (
                <ul className="list" aria-label="Projects">
                  {edges.map(({ node }) => (
                    <li key={node.id} className="line">
                      <Link to={`/projects/${node.projectId}`} className="grows">
                        {node.name}
                      </Link>
                      <span className="small quiet">{ownerName(node.organization)}</span>
                      <Tag value={node.status} />
                    </li>
                  ))}
                </ul>
              )}
              <MorePages pages={pages} info={pageInfo} list="projects" />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function NewOrganization() {
  const create = useChange(CreateOrganizationDocument);
  return (
    <Card title="New organization">
      <Form
        label="New organization"
        className="row"
        send={async (values) => {
          const made = await create.run({ displayName: textOf(values, 'name') });
          if (made?.createOrganization != null) go(`/orgs/${made.createOrganization.orgId}`);
          return made !== undefined;
        }}
      >
        <Field label="Name">
          <input name="name" required maxLength={100} />
        </Field>
        <button type="submit" className="main" disabled={create.busy}>
          Create organization
        </button>
      </Form>
      <ErrorNote error={create.error} />
    </Card>
  );
}
