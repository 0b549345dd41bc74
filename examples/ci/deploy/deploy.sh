#!/usr/bin/env bash
# Exchanges the token of this workflow for the right to deploy, and deploys.
set -euo pipefail

audience=${SVC_CI_AUDIENCE:-$SVC_API_BASE}

# GitHub gives a token to workflows with `permissions: id-token: write`.
subject_token=$(curl --fail --silent --show-error --get \
  --header "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \
  --data-urlencode "audience=$audience" \
  "$ACTIONS_ID_TOKEN_REQUEST_URL" | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).value')

request=$(SUBJECT_TOKEN="$subject_token" node -p 'JSON.stringify({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token: process.env.SUBJECT_TOKEN,
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  project_id: process.env.SVC_PROJECT_ID,
})')
# The body goes by standard input: nothing of it is seen in the list of processes.
answer=$(printf '%s' "$request" | curl --silent --show-error --header 'Content-Type: application/json' \
  --data-binary @- "$SVC_API_BASE/ci/v1/token-exchange")
SVC_DELEGATE_TOKEN=$(printf '%s' "$answer" | node -e '
  const answer = JSON.parse(require("fs").readFileSync(0, "utf8"));
  if (answer.access_token === undefined) {
    console.error(`${answer.error}: ${answer.message} ${JSON.stringify(answer.details ?? {})}`);
    process.exit(1);
  }
  console.log(answer.access_token);')
export SVC_DELEGATE_TOKEN
if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::add-mask::$SVC_DELEGATE_TOKEN"; fi

"${SVC_COMMAND:-svc}" deploy apply --manifest "$SVC_MANIFEST" --project "$SVC_PROJECT_ID"
