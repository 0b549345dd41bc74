import { useEffect, useState } from 'react';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { RenameProjectDocument, SetProjectRepoNameDocument } from './settings.graphql.ts';
import type { Project } from './shown-project.ts';

/** The two names of a project, each with a form of its own, as each is a change of its own. */
export function Names({ project: { projectId, name, repoName } }: { readonly project: Project }) {
  const rename = useChange(RenameProjectDocument);
  const setRepoName = useChange(SetProjectRepoNameDocument);
  const named = useTyped(name);
  const addressed = useTyped(repoName ?? '');
  return (
    <Section title="Names">
      <div className="name-forms">
        <Form
          label="Name of the project"
          submit="Rename"
          variant="secondary"
          error={rename.error}
          labels={{ name: 'Name' }}
          isDisabled={named.text.trim() === name.trim()}
          send={async () => {
            if ((await rename.run({ project: projectId, name: named.text })) !== undefined)
              announce('The project has a new name.');
            return false;
          }}
        >
          <TextField
            label="Name"
            value={named.text}
            onChange={named.type}
            isRequired
            maxLength={200}
            autoComplete="off"
          />
        </Form>
        <Form
          label="Slug of the project"
          submit="Set"
          variant="secondary"
          error={setRepoName.error}
          labels={{ name: 'Slug' }}
          isDisabled={addressed.text.trim() === (repoName ?? '')}
          send={async () => {
            if ((await setRepoName.run({ project: projectId, name: addressed.text })) !== undefined)
              announce('The project has a new name in addresses.');
            return false;
          }}
        >
          <TextField
            label="Slug"
            hint="Lower-case letters and digits, with single hyphens between them. Unique in the organization."
            value={addressed.text}
            onChange={addressed.type}
            isRequired
            maxLength={63}
            autoComplete="off"
            spellCheck="false"
          />
        </Form>
      </div>
    </Section>
  );
}

/** A text that is typed. A value that comes anew from the gateway takes its place only where nothing else was typed. */
function useTyped(known: string) {
  const [typed, setTyped] = useState<string>();
  useEffect(() => setTyped((text) => (text === known ? undefined : text)), [known]);
  return { text: typed ?? known, type: setTyped };
}
