import { useState } from 'react';
import { CodeBlock } from '../../design/code.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Section } from '../../design/section.tsx';
import { useChange } from '../../graph/use-change.ts';
import { TranslateTextDocument, type TranslateTextMutation } from './ai.graphql.ts';

/** A form that translates a text. */
export function TranslateText({ project }: { readonly project: string }) {
  const translate = useChange(TranslateTextDocument);
  const [text, setText] = useState('');
  const [to, setTo] = useState('');
  const [shown, setShown] = useState<TranslateTextMutation['translateText']>(null);
  return (
    <Section title="Translate">
      <Form
        label="Translate"
        submit="Translate"
        error={translate.error}
        labels={{ text: 'Text', to: 'Into' }}
        send={async () => {
          const answer = await translate.run({ project, text, to: to.trim() });
          setShown(answer?.translateText ?? null);
          return answer !== undefined;
        }}
      >
        <TextField label="Text" value={text} onChange={setText} maxLength={10_000} multiline isRequired />
        <TextField label="Into" hint="A language, such as es or Spanish." value={to} onChange={setTo} isRequired />
      </Form>
      {shown !== null && <CodeBlock title={`From ${shown.from} into ${shown.to}`} code={shown.text} />}
    </Section>
  );
}
