import './deploys.css';
import { BookOpen, Lock, Rocket } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { DeployFilters, kindAsked, statusAsked } from './deploy-filters.tsx';
import { isAtWork } from './deploy-status.tsx';
import { DeployTable } from './deploy-table.tsx';
import { DeploysDocument } from './deploys.graphql.ts';
import { HowToDeploy } from './how-to-deploy.tsx';
import { PromoteDialog } from './promote-dialog.tsx';

/** How often the list is read again, in milliseconds: while a deploy runs, and otherwise. */
const runningMs = 2_000;
const quietMs = 10_000;

/** The deploys of a project. The address holds the filters. */
export default function DeploysPage({ project: id }: { readonly project: string }) {
  const [status, setStatus] = useSearch('status', 'any');
  const [kind, setKind] = useSearch('kind', 'any');
  const [dialog, setDialog] = useSearch('dialog', '');
  const [release, setRelease] = useSearch('promote', '');
  const asked = { status: statusAsked(status), kind: kindAsked(kind) };
  const pages = usePages(JSON.stringify(asked));
  const answer = useAsk(DeploysDocument, { project: id, after: pages.after, ...asked });
  useExistingPage(pages, answer.error);
  const project = answer.data?.project;
  const deploys = project?.deploys?.edges.map(({ node }) => node) ?? [];
  useWhileVisible(deploys.some((one) => isAtWork(one.status)) ? runningMs : quietMs, answer.again);
  const mayWrite = project != null && mayOn(project, 'project:deploys:write');
  useCommands([
    { id: 'how to deploy', name: 'How to deploy', icon: BookOpen, words: 'svc cli', act: () => setDialog('how') },
  ]);
  return (
    <Page
      title="Deployments"
      lead="What the project served and serves. Each one can be made live again."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        <Button icon={BookOpen} onPress={() => setDialog('how')}>
          How to deploy
        </Button>
      }
    >
      {project != null && !mayOn(project, 'project:deploys:read') ? (
        <State icon={Lock} title="You cannot see the deployments">
          Members of the organization see them, and whoever has a grant to read the project.
        </State>
      ) : (
        <>
          <DeployFilters status={status} setStatus={setStatus} kind={kind} setKind={setKind} />
          <Loaded answer={answer}>
            {({ project: found }) =>
              found === null ? (
                <State icon={Rocket} title="Project not found">
                  It was deleted, or you have no access to it.
                </State>
              ) : (
                <>
                  <DeployTable
                    project={found}
                    deploys={deploys}
                    isFiltered={asked.status !== null || asked.kind !== null || pages.back !== undefined}
                    mayWrite={mayWrite}
                    promote={setRelease}
                    showHow={() => setDialog('how')}
                  />
                  <Pager pages={pages} info={found.deploys?.pageInfo} list="deployments" />
                </>
              )
            }
          </Loaded>
        </>
      )}
      {dialog === 'how' && <HowToDeploy project={id} close={() => setDialog('', { replace: true })} />}
      {release !== '' && mayWrite && (
        <PromoteDialog project={id} release={release} close={() => setRelease('', { replace: true })} />
      )}
    </Page>
  );
}
