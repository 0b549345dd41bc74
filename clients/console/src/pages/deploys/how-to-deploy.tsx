import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { Modal } from '../../design/modal.tsx';

interface HowToDeployProps {
  readonly project: string;
  readonly close: () => void;
}

/** How programs deploy to the project. The console itself uploads nothing. */
export const HowToDeploy = ({ project, close }: HowToDeployProps) => (
  <Modal title="Deploy from a terminal" isOpen close={close} kind="wide" foot={<Button onPress={close}>Close</Button>}>
    <p>Nobody sees a deploy before it is whole. The release before it stays, and can be made live again.</p>
    <CodeBlock title="The files of a folder" code={`svc sites deploy dist --project ${project}`} />
    <CodeBlock title="What that would change" code={`svc sites deploy dist --plan --project ${project}`} />
    <CodeBlock
      title="Migrations, rows, routes and files at once"
      code={`svc deploy apply --manifest release.json --project ${project}`}
    />
  </Modal>
);
