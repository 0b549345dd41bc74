import './site.css';
import { ExternalLink, Globe, Lock, Plus, Rocket, Stethoscope } from 'lucide-react';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useLiveQuery } from '../../graph/use-live-query.ts';
import { go, Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { Diagnosis } from './diagnosis.tsx';
import { FollowActivationsDocument, SiteDocument } from './site.graphql.ts';
import { SiteFiles } from './site-files.tsx';
import { SiteHead } from './site-head.tsx';
import { SitePaths } from './site-paths.tsx';
import { addressOf, inventoryOf, type Project } from './site-types.ts';
import { Subdomains } from './subdomains.tsx';

/** The site that a project serves: what its live release holds, and where it is found. */
export default function SitePage({ project: id }: { readonly project: string }) {
  const answer = useLiveQuery(SiteDocument, { project: id }, FollowActivationsDocument, {
    following: { project: id },
    from: ({ project }) => project?.events?.cursor,
  });
  const project = answer.data?.project;
  const base = `/projects/${id}/site`;
  const mayClaim = project != null && mayOn(project, 'project:domains:write');
  useCommands([
    { id: 'diagnose', name: 'Diagnose an address', icon: Stethoscope, act: () => go(`${base}?tab=diagnose`) },
    ...(mayClaim
      ? [
          {
            id: 'claim subdomain',
            name: 'Claim a subdomain',
            icon: Plus,
            words: 'name host',
            act: () => go(`${base}?tab=subdomains&dialog=claim`),
          },
        ]
      : []),
  ]);
  return (
    <Page
      title="Site"
      lead="What the project serves to visitors, and where."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        project != null &&
        inventoryOf(project) !== undefined && (
          <a className="button main" href={addressOf(project)} target="_blank" rel="noreferrer">
            <ExternalLink className="icon" aria-hidden="true" />
            Open site
          </a>
        )
      }
    >
      {project != null && !mayOn(project, 'project:deploys:read') ? (
        <State icon={Lock} title="You cannot see what the site holds">
          Members of the organization see it, and whoever has a grant to read the project.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found === null ? (
              <State icon={Globe} title="Project not found">
                It was deleted, or you have no access to it.
              </State>
            ) : (
              <Shown project={found} mayClaim={mayClaim} />
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

function Shown({ project, mayClaim }: { readonly project: Project; readonly mayClaim: boolean }) {
  const [tab, setTab] = useSearch('tab', 'paths');
  const inventory = inventoryOf(project);
  const address = addressOf(project);
  const nothing = (
    <State
      icon={Rocket}
      title="Nothing is served yet"
      action={<Link to={`/projects/${project.projectId}/deploys?dialog=how`}>How to deploy</Link>}
    >
      The first deploy makes the project serve a site.
    </State>
  );
  return (
    <>
      {inventory !== undefined && <SiteHead project={project} inventory={inventory} />}
      <Tabs
        label="The site"
        selected={tab}
        select={setTab}
        pages={[
          {
            id: 'paths',
            name: 'Public paths',
            content:
              inventory === undefined ? (
                nothing
              ) : (
                <SitePaths address={address} paths={inventory.static_public_paths} routes={inventory.routes.entries} />
              ),
          },
          {
            id: 'files',
            name: 'Files',
            content:
              inventory === undefined ? (
                nothing
              ) : (
                <SiteFiles files={inventory.site.paths} total={project.activeRelease?.siteFiles ?? 0} />
              ),
          },
          { id: 'subdomains', name: 'Subdomains', content: <Subdomains project={project} mayWrite={mayClaim} /> },
          { id: 'diagnose', name: 'Diagnose', content: <Diagnosis address={address} /> },
        ]}
      />
    </>
  );
}
