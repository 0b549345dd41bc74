import { bytes } from '../../design/amounts.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Modal } from '../../design/modal.tsx';
import { When } from '../../design/when.tsx';
import { type Archive, foundIn } from './archive-types.ts';
import { FoundList } from './found-list.tsx';

const Digest = ({ what, text }: { readonly what: string; readonly text: string }) => (
  <span>
    <code>{text}</code> <CopyButton isIcon what={what} text={text} />
  </span>
);

interface ArchiveReportProps {
  readonly archive: Archive;
  readonly close: () => void;
}

/** What an archive is, and what of the project stayed behind. */
export function ArchiveReport({ archive, close }: ArchiveReportProps) {
  const { archiveId, digest, sha256, byteCount, completedAt, expiresAt, exportReport, portabilityReport } = archive;
  const counts = (exportReport as { readonly counts?: Readonly<Record<string, number>> } | null)?.counts ?? {};
  return (
    <Modal
      title="Report of the archive"
      isOpen
      close={close}
      kind="wide"
      foot={
        <Button autoFocus onPress={close}>
          Close
        </Button>
      }
    >
      <Facts
        facts={[
          ['Archive', <code key="id">{archiveId}</code>],
          ['Digest', digest && <Digest what="digest" text={digest} />],
          ['SHA-256 of the file', sha256 && <Digest what="SHA-256" text={sha256} />],
          ['Size', byteCount === null ? null : bytes(byteCount)],
          ['Made', completedAt && <When at={completedAt} />],
          ['Kept until', <When key="until" at={expiresAt} />],
          [
            'Holds',
            Object.entries(counts)
              .filter(([, count]) => count > 0)
              .map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`)
              .join(', '),
          ],
        ]}
      />
      <FoundList label="What stays behind" found={foundIn(portabilityReport)} />
    </Modal>
  );
}
