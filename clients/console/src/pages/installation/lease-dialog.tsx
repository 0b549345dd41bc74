import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import type { OpenOrganization } from './organization-types.ts';
import { SetPerpetualDocument } from './organizations.graphql.ts';

interface DialogProps {
  readonly organization: OpenOrganization;
  readonly close: () => void;
}

/** Pins an organization, or has its lease count again. */
export function LeaseDialog({ organization: { orgId, leasePerpetual }, close }: DialogProps) {
  const change = useChange(SetPerpetualDocument);
  const run = async () => {
    if ((await change.run({ org: orgId, leasePerpetual: !leasePerpetual })) === undefined) return;
    announce(leasePerpetual ? 'Its lease counts again.' : 'It stays active for ever.');
    close();
  };
  const title = leasePerpetual ? 'Have its lease count?' : 'Keep it for ever?';
  return (
    <Modal
      kind="alert"
      title={title}
      isOpen
      close={close}
      foot={
        <>
          <Button onPress={close}>Cancel</Button>
          <Button variant={leasePerpetual ? 'danger' : 'primary'} isPending={change.busy} onPress={() => void run()}>
            {leasePerpetual ? 'Have its lease count' : 'Keep it for ever'}
          </Button>
        </>
      }
    >
      <p>
        {leasePerpetual
          ? 'The organization is past due once its lease has ended, and later frozen and purged, unless its lease is paid.'
          : 'The organization becomes active at once and stays so, whatever its lease.'}
      </p>
      <ErrorNote error={change.error} />
    </Modal>
  );
}
