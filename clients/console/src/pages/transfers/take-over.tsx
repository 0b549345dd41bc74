import { useState } from 'react';
import { Secret } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { organizationName } from '../../frame/names.ts';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { Link } from '../../router.tsx';
import { may } from '../../session/may.ts';
import type { Transfer } from './transfer-type.ts';
import {
  AcceptTransferDocument,
  type AcceptTransferMutation,
  ClaimTransferDocument,
  TransferPlacesDocument,
} from './transfers.graphql.ts';

export type TakenOver = NonNullable<AcceptTransferMutation['acceptProjectTransfer']>;

interface TakeOverProps {
  readonly transfer: Transfer;
  readonly close: () => void;
  readonly took: (taken: TakenOver) => void;
}

/** The dialog that takes a project over: by the wallet that it is offered to, or by the person who has the address. */
export function TakeOver({ transfer, close, took }: TakeOverProps) {
  const { transferId, recipientKind, retainsSender, projectName } = transfer;
  const isClaimed = recipientKind === 'EMAIL';
  const accept = useChange(AcceptTransferDocument);
  const claim = useChange(ClaimTransferDocument);
  const places = useAsk(TransferPlacesDocument, {});
  const [org, setOrg] = useState('');
  const [keeps, setKeeps] = useState(false);
  const organizations = (places.data?.organizations?.edges ?? [])
    .map(({ node }) => node)
    .filter(({ role }) => may(role, 'project:create'));
  return (
    <Modal title={`Take ${projectName} over?`} isOpen close={close} kind="alert">
      <Form
        label="Take over"
        submit="Take over"
        cancel={close}
        error={accept.error ?? claim.error}
        labels={{ org_id: 'Organization' }}
        send={async () => {
          const taken = isClaimed
            ? (
                await claim.run({
                  transfer: transferId,
                  acceptRetainedCollaborator: keeps,
                  ...(org === '' ? {} : { org }),
                })
              )?.claimProjectTransfer
            : (await accept.run({ transfer: transferId }))?.acceptProjectTransfer;
          if (taken == null) return false;
          took(taken);
          close();
          return true;
        }}
      >
        <p>
          From then on your organization pays for what it uses. Whoever had it before has no key to it any more; secrets
          that came with it are known to them, so set those anew.
        </p>
        {isClaimed && organizations.length > 0 && (
          <Select
            label="Organization"
            options={[
              { id: '', name: 'Your own' },
              ...organizations.map((one) => ({ id: one.orgId, name: organizationName(one) })),
            ]}
            value={org}
            onChange={setOrg}
          />
        )}
        {retainsSender && (
          <Checkbox isSelected={keeps} onChange={setKeeps}>
            Let whoever offers it stay as a developer
          </Checkbox>
        )}
      </Form>
    </Modal>
  );
}

/** A project that was just taken over, with the keys to it. */
export const TookOver = ({
  taken: { project, anonKey, serviceKey, inheritedSecrets },
}: {
  readonly taken: TakenOver;
}) => (
  <Note mood="good" title="The project is yours">
    <Facts
      facts={[
        [
          'Project',
          project === null ? undefined : (
            <Link key="project" to={`/projects/${project.projectId}`}>
              {project.projectId}
            </Link>
          ),
        ],
        ['Anon key', anonKey === null ? undefined : <Secret key="anon" name="anon key" value={anonKey} />],
        [
          'Service key',
          serviceKey === null ? undefined : <Secret key="service" name="service key" value={serviceKey} />,
        ],
        ['Secrets to set anew', inheritedSecrets.length === 0 ? undefined : inheritedSecrets.join(', ')],
      ]}
    />
  </Note>
);
