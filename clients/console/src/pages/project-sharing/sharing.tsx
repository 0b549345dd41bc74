import './sharing.css';
import { Bot, Share2, UserPlus } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Switch } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { ConnectAgent } from './connect-agent.tsx';
import { Delegates } from './delegates.tsx';
import { Grants } from './grants.tsx';
import { type Grant, holds, type Project } from './holdings.ts';
import { NewDelegate } from './new-delegate.tsx';
import { NewGrant } from './new-grant.tsx';
import { SharingDocument } from './sharing.graphql.ts';

/** Who may use a project without being a member of its organization: wallets by grants, programs by delegates. */
export default function Sharing({ project: id }: { readonly project: string }) {
  const answer = useAsk(SharingDocument, { project: id });
  const project = answer.data?.project ?? undefined;
  const [dialog, setDialog] = useSearch('new', '');
  const close = () => setDialog('', { replace: true });
  const mayShare = project !== undefined && mayOn(project, 'project:grants:write');
  const grants = (project?.grants?.edges ?? []).map(({ node }) => node).filter(holds);
  return (
    <Page
      title="Sharing"
      crumbs={projectCrumbs(project?.organization, project)}
      lead="Give people and programs access to a part of this project. They need not be members of the organization."
      actions={
        mayShare && (
          <>
            <Button icon={Bot} onPress={() => setDialog('agent')}>
              Connect an agent
            </Button>
            <Button variant="primary" icon={UserPlus} onPress={() => setDialog('grant')}>
              Share project
            </Button>
          </>
        )
      }
    >
      {project !== undefined && !mayOn(project, 'project:grants:read') ? (
        <State icon={Share2} title="Only owners see how a project is shared">
          Ask an owner of the organization to share the project, or to make you an owner.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found !== null && <Lists project={found} mayShare={mayShare} newDelegate={() => setDialog('delegate')} />
          }
        </Loaded>
      )}
      {dialog === 'grant' && mayShare && <NewGrant project={id} close={close} />}
      {dialog === 'agent' && mayShare && <ConnectAgent project={id} close={close} />}
      {dialog === 'delegate' && mayShare && grants.length > 0 && (
        <NewDelegate project={id} grants={grants} close={close} />
      )}
    </Page>
  );
}

interface ListsProps {
  readonly project: Project;
  readonly mayShare: boolean;
  readonly newDelegate: () => void;
}

function Lists({ project: { projectId, grants, delegates }, mayShare, newDelegate }: ListsProps) {
  const [ended, setEnded] = useSearch('ended', '');
  const shown = (one: Pick<Grant, 'revokedAt' | 'expiresAt'>) => ended !== '' || holds(one);
  const allGrants = (grants?.edges ?? []).map(({ node }) => node);
  const allDelegates = (delegates?.edges ?? []).map(({ node }) => node);
  const hasEnded = [...allGrants, ...allDelegates].some((one) => !holds(one));
  const isCut = grants?.pageInfo.hasNextPage === true || delegates?.pageInfo.hasNextPage === true;
  return (
    <>
      <Grants project={projectId} grants={allGrants.filter(shown)} mayChange={mayShare} />
      <Delegates
        project={projectId}
        delegates={allDelegates.filter(shown)}
        grants={allGrants}
        mayChange={mayShare}
        create={allGrants.some(holds) ? newDelegate : undefined}
      />
      {hasEnded && (
        <div>
          <Switch isSelected={ended !== ''} onChange={(on) => setEnded(on ? 'shown' : '', { replace: true })}>
            Show what was revoked or has expired
          </Switch>
        </div>
      )}
      {isCut && <p className="quiet">These are the first 200 of each. `svc grants list` shows all.</p>}
    </>
  );
}
