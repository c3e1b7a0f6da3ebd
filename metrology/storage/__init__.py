"""The only place that speaks SQL: tables, engine, migrations, one file per aggregate, grouped reads, blobs."""
