import { useState } from 'react';
import { useClient } from 'urql';
import { Facts } from '../../design/facts.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Note } from '../../design/note.tsx';
import { Section } from '../../design/section.tsx';
import { type Envelope, envelopeOf } from '../../graph/envelope.ts';
import { ModerateTextDocument, type ModerateTextQuery } from './ai.graphql.ts';

/** A form that has a text judged. */
export function ModerateText({ project }: { readonly project: string }) {
  const client = useClient();
  const [text, setText] = useState('');
  const [error, setError] = useState<Envelope>();
  const [judged, setJudged] = useState<ModerateTextQuery['moderateText']>(null);
  return (
    <Section title="Moderate">
      <Form
        label="Moderate"
        submit="Moderate"
        error={error}
        labels={{ text: 'Text' }}
        send={async () => {
          const variables = { project, text };
          const { data, error: failed } = await client
            .query(ModerateTextDocument, variables, { requestPolicy: 'network-only' })
            .toPromise();
          setError(failed === undefined ? undefined : envelopeOf(failed));
          setJudged(data?.moderateText ?? null);
          return failed === undefined;
        }}
      >
        <TextField label="Text" value={text} onChange={setText} maxLength={10_000} multiline isRequired />
      </Form>
      {judged !== null && (
        <>
          {judged.flagged ? (
            <Note mood="warn" title="The text is harmful." />
          ) : (
            <Note mood="good" title="Nothing harmful was found." />
          )}
          <Facts facts={scoresOf(judged.categoryScores)} />
        </>
      )}
    </Section>
  );
}

/** How surely a text is harmful, the surest way first. */
const scoresOf = (scores: Readonly<Record<string, unknown>>): (readonly [string, string])[] =>
  Object.entries(scores)
    .map(([name, score]) => [name, Number(score)] as const)
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, 6)
    .map(([name, score]) => [name, `${(score * 100).toFixed(1)} %`]);
