import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Switch } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { Credentials } from './credentials.tsx';
import { CredentialsDocument } from './keys.graphql.ts';
import { NewCredential } from './new-credential.tsx';
import { NewSecret } from './new-secret.tsx';

/** Further keys of a project, each of which can be replaced and revoked by itself. */
export default function Keys({ project: id }: { readonly project: string }) {
  const [ended, setEnded] = useSearch('ended', '');
  const answer = useAsk(CredentialsDocument, { project: id, revoked: ended !== '' });
  const project = answer.data?.project ?? undefined;
  const [dialog, setDialog] = useSearch('new', '');
  const [secret, setSecret] = useState<string>();
  const mayIssue = project !== undefined && mayOn(project, 'project:credentials:write');
  return (
    <Page
      title="Keys"
      crumbs={projectCrumbs(project?.organization, project)}
      lead="Give each program a key of its own: it can then be replaced or revoked without touching the others."
      actions={
        mayIssue && (
          <Button variant="primary" icon={Plus} onPress={() => setDialog('key')}>
            New key
          </Button>
        )
      }
    >
      {project !== undefined && !mayOn(project, 'project:credentials:read') ? (
        <State icon={KeyRound} title="Only owners see the keys of a project">
          Ask an owner of the organization for a key, or to make you an owner.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found !== null && (
              <>
                <Credentials
                  project={found.projectId}
                  credentials={(found.credentials?.edges ?? []).map(({ node }) => node)}
                  mayChange={mayIssue}
                  show={setSecret}
                />
                <div>
                  <Switch isSelected={ended !== ''} onChange={(on) => setEnded(on ? 'shown' : '', { replace: true })}>
                    Show what was revoked
                  </Switch>
                </div>
              </>
            )
          }
        </Loaded>
      )}
      {dialog === 'key' && mayIssue && (
        <NewCredential project={id} close={() => setDialog('', { replace: true })} show={setSecret} />
      )}
      {secret !== undefined && <NewSecret secret={secret} close={() => setSecret(undefined)} />}
    </Page>
  );
}
