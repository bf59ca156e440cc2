import { testForms } from './spec-forms.ts';

testForms(3000, 0.95);
