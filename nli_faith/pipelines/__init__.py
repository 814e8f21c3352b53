"""The scorer inside data engines: Arrow, pandas, Polars, Hugging Face datasets, Ray and Spark.

Each module is thin: rows go to `FaithfulnessScorer.score_records`, and what comes back is written
into columns of `columns.OUTPUT`. A row that cannot be read gets the status ``error`` and a message;
it never ends the job.
"""
