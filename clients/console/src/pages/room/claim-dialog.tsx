import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import type { Place } from './place.ts';
import { ClaimDocument, type ClaimMode } from './room.graphql.ts';
import { wantedName } from './self.ts';

interface ClaimDialogProps {
  readonly place: Place;
  readonly isOpen: boolean;
  readonly close: () => void;
}

const modes = [
  { id: 'EXCLUSIVE', name: 'Exclusive: no one else should work on it' },
  { id: 'SHARED', name: 'Shared: others may work on it, too' },
];

/** Claims something in a room. */
export function ClaimDialog({ place: { org, room, sessionKey, setMe }, isOpen, close }: ClaimDialogProps) {
  const claim = useChange(ClaimDocument);
  const draft = useDraft(`claim ${org} ${room}`, { resource: '', note: '', mode: 'EXCLUSIVE' });
  return (
    <Modal title="New claim" isOpen={isOpen} close={close} kind="alert">
      <Form
        label="New claim"
        submit="Claim"
        cancel={close}
        error={claim.error}
        draft={draft}
        send={async () => {
          const { resource, mode } = draft.values;
          const note = draft.values.note.trim();
          const answered = await claim.run({
            org,
            room,
            sessionKey,
            requestedName: wantedName(),
            program: 'console',
            resource: resource.trim(),
            mode: mode as ClaimMode,
            ...(note === '' ? {} : { note }),
          });
          const made = answered?.createRoomClaim;
          if (made == null) return false;
          // A claim makes its holder present.
          setMe({ presenceId: made.holderPresenceId, name: made.holder });
          close();
          return true;
        }}
      >
        <TextField
          label="Resource"
          {...draft.field('resource')}
          hint="For files a pattern such as repo:src/**, otherwise any words."
          isRequired
          maxLength={512}
          autoFocus
        />
        <TextField label="Note" hint="What you do with it." maxLength={1000} {...draft.field('note')} />
        <Select label="Mode" options={modes} {...draft.field('mode')} />
      </Form>
    </Modal>
  );
}
