import { Lock, Plus, Signature } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { DeleteSigner } from './delete-signer.tsx';
import { DrainSigner } from './drain-signer.tsx';
import { ProvisionSigner } from './provision-signer.tsx';
import { SignerCalls } from './signer-calls.tsx';
import { SignerTable } from './signer-table.tsx';
import { SignersDocument } from './signers.graphql.ts';

/** How often the list is read again, in milliseconds. */
const everyMs = 15_000;

/** The accounts on chains that a project signs with. The address holds the chosen one and the dialog. */
export default function SignersPage({ project: id }: { readonly project: string }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [chosen, setChosen] = useSearch('signer', '');
  const answer = useAsk(SignersDocument, { project: id });
  useWhileVisible(everyMs, answer.again);
  const project = answer.data?.project;
  const mayWrite = project != null && mayOn(project, 'project:signers:write');
  const signers = project?.signers ?? [];
  const signer = signers.find(({ signerId }) => signerId === chosen);
  useCommands(
    mayWrite
      ? [{ id: 'make signer', name: 'Make a signer', icon: Plus, words: 'new add', act: () => setDialog('make') }]
      : [],
  );
  /** One entry of the history leads from the dialog back. */
  const ask = (name: string) => (of: string) => {
    setChosen(of, { replace: true });
    setDialog(name);
  };
  const close = () => {
    setDialog('', { replace: true });
    answer.again();
  };
  return (
    <Page
      title="Signers"
      lead="Accounts on Base that the project signs with."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        mayWrite && (
          <Button variant="primary" icon={Plus} onPress={() => setDialog('make')}>
            Make signer
          </Button>
        )
      }
    >
      {project != null && !mayOn(project, 'project:signers:read') ? (
        <State icon={Lock} title="You cannot see the signers">
          Members of the organization see them.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found === null ? (
              <State icon={Signature} title="Project not found">
                It was deleted, or you have no access to it.
              </State>
            ) : (
              <SignerTable
                signers={signers}
                mayWrite={mayWrite}
                linkOf={({ signerId }) => `/projects/${id}/signers?signer=${signerId}`}
                drain={ask('drain')}
                remove={ask('delete')}
                first={mayWrite && <Button onPress={() => setDialog('make')}>Make the first signer</Button>}
              />
            )
          }
        </Loaded>
      )}
      {signer !== undefined && dialog === '' && <SignerCalls key={signer.signerId} project={id} signer={signer} />}
      {mayWrite && dialog === 'make' && <ProvisionSigner project={id} close={close} />}
      {mayWrite && dialog === 'drain' && signer !== undefined && (
        <DrainSigner project={id} signer={signer} close={close} />
      )}
      {mayWrite && dialog === 'delete' && signer !== undefined && (
        <DeleteSigner project={id} signer={signer} close={close} />
      )}
    </Page>
  );
}
