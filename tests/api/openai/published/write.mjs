// Writes replies.schema.json from the types of OpenAI's own JavaScript client, which are generated from its
// published API description. In a copy of this folder:
//
//   npm install openai ts-json-schema-generator@2 typescript@5 && node write.mjs

import { readFileSync, writeFileSync } from "node:fs";
import { createGenerator } from "ts-json-schema-generator";

const options = { module: "nodenext", moduleResolution: "nodenext", strict: true, skipLibCheck: true, target: "es2022" };
writeFileSync("tsconfig.json", JSON.stringify({ compilerOptions: options, files: ["replies.ts"] }));
const generator = createGenerator({
  path: "replies.ts", tsconfig: "tsconfig.json", skipTypeCheck: true, additionalProperties: false, jsDoc: "none",
});
const { definitions } = generator.createSchema("Replies");
const { version, license } = JSON.parse(readFileSync("node_modules/openai/package.json", "utf8"));
const source = `Written by write.mjs from the types of the npm package openai ${version} (${license}).`;
const lines = Object.entries(definitions).map(([name, one]) => `  ${JSON.stringify(name)}: ${JSON.stringify(one)}`);
writeFileSync("replies.schema.json", `{
 "$schema": "http://json-schema.org/draft-07/schema#",
 "$comment": ${JSON.stringify(source)},
 "definitions": {
${lines.sort().join(",\n")}
 }
}
`);
