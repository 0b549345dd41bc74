import { useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { bytes, Meter } from '../parts/meter.tsx';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { go, Link } from '../router.tsx';
import { mayOn } from '../session/may.ts';
import {
  DeleteProjectDocument,
  ProjectDocument,
  ProjectKeysDocument,
  type ProjectQuery,
  RenameProjectDocument,
} from './project.graphql.ts';
import { ownerName, projectCrumbs } from './project-crumbs.ts';
import { Redirects } from './project-redirects.tsx';

type Project = NonNullable<ProjectQuery['project']>;

/** A project: its state, its keys on request, and links to its pages. */
export default function ProjectPage({ project: id }: { readonly project: string }) {
  const answer = useAsk(ProjectDocument, { project: id });
  const project = answer.data?.project;
  return (
    <Page title={project?.name ?? 'Project'} crumbs={projectCrumbs(project?.organization)}>
      <Loaded answer={answer}>{({ project: found }) => found !== null && <Facts project={found} />}</Loaded>
    </Page>
  );
}

function Facts({ project }: { readonly project: Project }) {
  const { projectId, publicId, organization, defaultRoom, usage } = project;
  return (
    <>
      <div className="row">
        {mayOn(project, 'project:sql') && (
          <Link className="button" to={`/projects/${projectId}/rows`}>
            Rows
          </Link>
        )}
        <Link className="button" to={`/projects/${projectId}/errors`}>
          Errors
        </Link>
        {organization !== null && (
          <Link className="button" to={`/orgs/${organization.orgId}/rooms/${encodeURIComponent(defaultRoom.key)}`}>
            Room
          </Link>
        )}
      </div>
      <div className="columns">
        <Card title="Details">
          <div className="line">
            <Tag value={project.state} /> <Tag value={project.status} /> <Tag value={project.tier} mood="accent" />
          </div>
          <dl className="facts">
            <dt>Organization</dt>
            <dd>
              {organization === null ? (
                `${ownerName(organization)}: you are no member of the organization that has it.`
              ) : (
                <Link to={`/orgs/${organization.orgId}`}>{ownerName(organization)}</Link>
              )}
            </dd>
            <dt>Id</dt>
            <dd>
              <code>{projectId}</code>
            </dd>
            <dt>Public id</dt>
            <dd>
              <code>{publicId}</code>
            </dd>
            <dt>Since</dt>
            <dd>
              <When at={project.createdAt} />
            </dd>
          </dl>
          <Meter label="Requests in this period" used={usage.apiCalls} limit={usage.apiCallsLimit} />
          <Meter label="Storage" used={usage.storageBytes} limit={usage.storageBytesLimit} format={bytes} />
        </Card>
        {mayOn(project, 'project:keys:read') && <Keys projectId={projectId} />}
      </div>
      {mayOn(project, 'project:users:write') && <Redirects projectId={projectId} />}
      {mayOn(project, 'project:rename') && <Changes project={project} />}
    </>
  );
}

/** Loaded only when the user asks for them, so that the browser does not hold unneeded keys. */
function Keys({ projectId }: { readonly projectId: string }) {
  const [asked, setAsked] = useState(false);
  const answer = useAsk(ProjectKeysDocument, asked ? { project: projectId } : undefined);
  return (
    <Card title="Keys">
      {asked ? (
        <Loaded answer={answer}>
          {({ project }) =>
            project?.keys == null ? (
              <Empty title="Only for owners">An owner of the organization may read the keys.</Empty>
            ) : (
              <>
                <div className="stack">
                  <h3>Anon key</h3>
                  <p className="quiet small">For frontends: row security decides what it may.</p>
                  <Secret name="anon key" value={project.keys.anonKey} />
                </div>
                <div className="stack">
                  <h3>Service key</h3>
                  <p className="quiet small">For servers only: it grants the rights of an owner.</p>
                  <Secret name="service key" value={project.keys.serviceKey} />
                </div>
              </>
            )
          }
        </Loaded>
      ) : (
        <>
          <p className="quiet">Keys are loaded on request, and hidden until you show them.</p>
          <div>
            <button type="button" onClick={() => setAsked(true)}>
              Get the keys
            </button>
          </div>
        </>
      )}
    </Card>
  );
}

function Changes({ project }: { readonly project: Project }) {
  const { projectId, name, organization } = project;
  const [mistyped, setMistyped] = useState(false);
  const rename = useChange(RenameProjectDocument);
  const remove = useChange(DeleteProjectDocument);
  return (
    <Card title="Name and deletion">
      <Form
        label="Name of the project"
        className="row"
        send={async (values) => {
          await rename.run({ project: projectId, name: textOf(values, 'name') });
          return false;
        }}
      >
        <Field label="Name">
          <input name="name" defaultValue={name} required maxLength={200} />
        </Field>
        <button type="submit" disabled={rename.busy}>
          Rename
        </button>
      </Form>
      <ErrorNote error={rename.error} />
      {mayOn(project, 'project:delete') && (
        <details>
          <summary>Delete the project</summary>
          <Form
            label="Delete the project"
            send={async (values) => {
              const same = textOf(values, 'confirmed').normalize() === name.trim().normalize();
              setMistyped(!same);
              if (!same) return false;
              const done = await remove.run({ project: projectId });
              if (done !== undefined) go(organization === null ? '/orgs' : `/orgs/${organization.orgId}`);
              return done !== undefined;
            }}
          >
            <p>
              Its database, its users and its keys are gone for good. Messages, events and the audit trail are kept.
            </p>
            <Field label={`To go on, write ${name}`}>
              <input name="confirmed" required autoComplete="off" />
            </Field>
            {mistyped && (
              <p className="note warn" role="alert">
                That is not its name, so nothing was deleted.
              </p>
            )}
            <div>
              <button type="submit" disabled={remove.busy}>
                Delete for good
              </button>
            </div>
          </Form>
        </details>
      )}
      <ErrorNote error={remove.error} />
    </Card>
  );
}
