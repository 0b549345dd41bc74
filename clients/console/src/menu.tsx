import { useAsk } from './graph/use-live-query.ts';
import { ProjectMenuDocument } from './menu.graphql.ts';
import { Link, match } from './router.tsx';
import { mayOn } from './session/may.ts';

/** The navigation: pages of the console, and of the project and the organization in the address. */
export function Menu({ path }: { readonly path: string }) {
  const beginning = path.split('/').slice(0, 3).join('/');
  const org = match('/orgs/:org', beginning)?.org;
  const project = match('/projects/:project', beginning)?.project;
  return (
    <>
      <div>
        <Link to="/">Overview</Link>
        <Link to="/orgs">Organizations</Link>
        <Link to="/audits">Audits</Link>
        <Link to="/outbox">Outbox</Link>
        <Link to="/you">Sign-in and approvals</Link>
      </div>
      {project !== undefined && <ProjectMenu key={project} project={project} />}
      {org !== undefined && <OrganizationMenu org={org} />}
    </>
  );
}

function OrganizationMenu({ org }: { readonly org: string }) {
  return (
    <div>
      <h2>This organization</h2>
      <Link to={`/orgs/${org}`}>Projects and members</Link>
      <Link to={`/orgs/${org}/rooms`}>Rooms</Link>
      <Link to={`/orgs/${org}/events`}>Events</Link>
      <Link to={`/orgs/${org}/escalations`}>Escalations</Link>
    </div>
  );
}

/** Pages of a project; a member also sees those of its organization. */
function ProjectMenu({ project }: { readonly project: string }) {
  const found = useAsk(ProjectMenuDocument, { project }).data?.project;
  const organization = found?.organization;
  return (
    <>
      <div>
        <h2>This project</h2>
        <Link to={`/projects/${project}`}>Details and keys</Link>
        {found != null && mayOn(found, 'project:sql') && <Link to={`/projects/${project}/rows`}>Rows</Link>}
        <Link to={`/projects/${project}/errors`}>Errors</Link>
        {found != null && organization != null && (
          <Link to={`/orgs/${organization.orgId}/rooms/${encodeURIComponent(found.defaultRoom.key)}`}>Room</Link>
        )}
      </div>
      {organization != null && <OrganizationMenu org={organization.orgId} />}
    </>
  );
}
