import { useRef } from 'react';
import { Badge, type Mood } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { ApplyManifestDocument } from './access.graphql.ts';
import { Diff } from './diff.tsx';
import { draftOf, type Effect, effectsOf } from './manifest-draft.ts';

const moods: Readonly<Record<Effect['kind'], Mood>> = { added: 'good', changed: 'accent', removed: 'bad' };

interface ReviewManifestProps {
  readonly projectId: string;
  readonly before: string;
  readonly after: string;
  /** Of the manifest that the draft began with: another one by now is not replaced. */
  readonly revision: string;
  readonly close: () => void;
  /** Another manifest was applied meanwhile: it has to be read. */
  readonly changed: () => void;
  readonly done: () => void;
}

/** Shows what a draft changes before it is applied. */
export function ReviewManifest(props: ReviewManifestProps) {
  const { projectId, before, after, revision, close, changed, done } = props;
  const apply = useChange(ApplyManifestDocument);
  const sending = useRef(false);
  const [was, is] = [draftOf(before)!, draftOf(after)!];
  const effects = effectsOf(was, is);
  const run = async () => {
    if (sending.current) return;
    sending.current = true;
    const outcome = await apply.run({ project: projectId, manifest: is as never, revision });
    sending.current = false;
    if (outcome === undefined) return changed();
    const warnings = outcome.applyExpose?.warnings ?? [];
    announce(
      'The manifest is applied.',
      warnings.length === 0 ? undefined : warnings.map(({ detail }) => detail).join(' '),
    );
    done();
  };
  return (
    <Modal
      title="Apply these changes?"
      isOpen
      close={close}
      kind="wide"
      foot={
        <>
          <Button onPress={close}>Cancel</Button>
          <Button variant="primary" isPending={apply.busy} onPress={() => void run()}>
            Apply
          </Button>
        </>
      }
    >
      <ul className="access-findings" aria-label="Effects">
        {effects.map(({ name, kind, words }) => (
          <li key={`${kind} ${name}`}>
            <Badge mood={moods[kind]}>{kind}</Badge>
            <span>
              <code>{name}</code> {words}
            </span>
          </li>
        ))}
      </ul>
      <Diff before={before} after={after} />
      <ErrorNote error={apply.error} />
    </Modal>
  );
}
