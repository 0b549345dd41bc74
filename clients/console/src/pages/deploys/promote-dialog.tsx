import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Checkbox } from '../../design/field.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import type { Envelope } from '../../graph/envelope.ts';
import { useChange } from '../../graph/use-change.ts';
import { go } from '../../router.tsx';
import { PromoteReleaseDocument } from './deploys.graphql.ts';
import { type DeployWarning, Warnings } from './warnings.tsx';

interface PromoteDialogProps {
  readonly project: string;
  readonly release: string;
  readonly close: () => void;
}

/** Warnings that a promotion was refused for, since nobody has agreed to them yet. */
const warningsOf = (error: Envelope | undefined): readonly DeployWarning[] =>
  error?.code === 'PROMOTE_WARNING_REQUIRES_ACK' && Array.isArray(error.details.warnings)
    ? (error.details.warnings as DeployWarning[])
    : [];

/** Asks before a release is made live again. What the gateway warns of is shown, and agreed to by name. */
export function PromoteDialog({ project, release, close }: PromoteDialogProps) {
  const promote = useChange(PromoteReleaseDocument);
  const [warned, setWarned] = useState<readonly DeployWarning[]>([]);
  const [agrees, setAgrees] = useState(false);
  const warnings = warningsOf(promote.error);
  // While the second try is under way there is no error to read them from.
  if (warnings.length > 0 && warnings !== warned && JSON.stringify(warnings) !== JSON.stringify(warned)) {
    setWarned(warnings);
    setAgrees(false);
  }
  const run = async () => {
    const done = await promote.run({ project, release, allowWarningCodes: warned.map(({ code }) => code) });
    const operation = done?.promoteRelease?.operationId;
    if (operation === undefined) return;
    announce('The release is live.');
    close();
    go(`/projects/${project}/deploys/${operation}`);
  };
  return (
    <Modal
      title="Make this release live?"
      isOpen
      close={close}
      kind="alert"
      foot={
        <>
          <Button autoFocus onPress={close}>
            Cancel
          </Button>
          <Button
            variant={warned.length > 0 ? 'danger' : 'primary'}
            isPending={promote.busy}
            isDisabled={warned.length > 0 && !agrees}
            onPress={() => void run()}
          >
            {warned.length > 0 ? 'Make it live all the same' : 'Make it live'}
          </Button>
        </>
      }
    >
      <p>
        Visitors get <code>{release}</code> at once. Files, routes and the manifest are those of the release. Rows,
        migrations and secrets stay as they are.
      </p>
      {warned.length > 0 && (
        <>
          <Warnings warnings={warned} />
          <Checkbox isSelected={agrees} onChange={setAgrees}>
            I know what that means for the app
          </Checkbox>
        </>
      )}
      {warnings.length === 0 && <ErrorNote error={promote.error} />}
    </Modal>
  );
}
