import { ComboBox } from '../../design/combobox.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { SignInSettingsDocument } from './users.graphql.ts';

interface LinkTargetProps {
  readonly projectId: string;
  readonly value: string;
  readonly onChange: (url: string) => void;
}

/** Where a mailed link leads: one of the allowed URLs, or one below them. */
export function LinkTarget({ projectId, value, onChange }: LinkTargetProps) {
  const answer = useAsk(SignInSettingsDocument, { project: projectId });
  const allowed = answer.data?.project?.authSettings?.allowedRedirectUrls ?? [];
  return (
    <ComboBox
      label="Link leads to"
      hint="A page of the app: on localhost, a host of the project, or below a redirect URL of the sign-in settings."
      takesAny
      isRequired
      options={[...allowed, 'http://localhost:3000'].map((url) => ({ id: url, name: url }))}
      value={value}
      onChange={(url) => onChange(url ?? '')}
      placeholder="https://app.example.com/welcome"
    />
  );
}
