import './access.css';
import { Lock } from 'lucide-react';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { AccessPageDocument } from './access.graphql.ts';
import { ManifestTab } from './manifest-tab.tsx';
import { Matrix } from './matrix.tsx';
import { TryIt } from './try-it.tsx';

/** Decides what a project shows, and shows who may do what. */
export default function AccessPage({ project: projectId }: { readonly project: string }) {
  const answer = useAsk(AccessPageDocument, { project: projectId });
  const [tab, setTab] = useSearch('tab', 'manifest');
  const project = answer.data?.project;
  return (
    <Page
      title="Access"
      lead="Requests with the anon key reach nothing until you expose it."
      crumbs={projectCrumbs(project?.organization, project)}
    >
      <Loaded answer={answer}>
        {({ project }) =>
          project === null || !mayOn(project, 'project:expose:read') ? (
            <State icon={Lock} title="You cannot see the access rules">
              Developers, admins and owners of the organization decide what its projects show.
            </State>
          ) : (
            <Tabs
              label="Access of the project"
              selected={tab}
              select={setTab}
              pages={[
                {
                  id: 'manifest',
                  name: 'Manifest',
                  content: <ManifestTab projectId={projectId} mayApply={mayOn(project, 'project:expose:write')} />,
                },
                { id: 'who', name: 'Who may do what', content: <Matrix projectId={projectId} /> },
                ...(mayOn(project, 'project:sql')
                  ? [{ id: 'try', name: 'Try it', content: <TryIt projectId={projectId} /> }]
                  : []),
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
